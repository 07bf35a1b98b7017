/** A legacy stdio server with the tools `pid`, `hold`, which never answers, and `ask`, which asks for a name first. */
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
const tools = ["pid", "hold", "ask"].map((name) => ({ name, inputSchema: { type: "object" } }));
/** The calls that wait for the answer to their question, by the id of the question. */
const asking = new Map();

const METHODS = {
  initialize: (id) =>
    send({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "pid-server", version: "1" },
      },
    }),
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id) => send({ id, result: { tools } }),
  "tools/call": (id, { name }) => {
    if (name === "pid") answer(id, String(process.pid));
    if (name !== "ask") return;
    asking.set(`ask-${id}`, id);
    send({ id: `ask-${id}`, method: "elicitation/create", params: { message: "Name?", requestedSchema } });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return answer(asking.get(id), JSON.stringify(result));
  if (id === undefined) return;
  if (METHODS[method]) METHODS[method](id, params);
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
