/** A legacy stdio server whose tool `log` logs its argument `text` before or `after` its result. The tool `hold` never answers. */
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const log = (data) => send({ method: "notifications/message", params: { level: "info", data } });
const tools = ["log", "hold"].map((name) => ({ name, inputSchema: { type: "object" } }));

const METHODS = {
  initialize: (id) =>
    send({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "logging-server", version: "1" },
      },
    }),
  ping: (id) => send({ id, result: {} }),
  "logging/setLevel": (id) => send({ id, result: {} }),
  "tools/list": (id) => send({ id, result: { tools } }),
  "tools/call": (id, { name, arguments: args }) => {
    if (name === "hold") return;
    if (!args.after) log(args.text);
    send({ id, result: { content: [{ type: "text", text: "done" }] } });
    if (args.after) log(args.text);
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (METHODS[method]) METHODS[method](id, params);
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
