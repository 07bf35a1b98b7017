/**
 * A legacy stdio server that requests the roots of its client after the handshake and when they have changed. Its tool
 * `roots` returns the process id and the URIs that it has got.
 */
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const requestRoots = () => send({ id: "roots", method: "roots/list" });
let uris;

const METHODS = {
  initialize: (id) => {
    const serverInfo = { name: "roots-server", version: "1" };
    send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  },
  "notifications/initialized": requestRoots,
  "notifications/roots/list_changed": requestRoots,
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id) => send({ id, result: { tools: [{ name: "roots", inputSchema: { type: "object" } }] } }),
  "tools/call": (id) => {
    const text = JSON.stringify({ pid: process.pid, uris });
    send({ id, result: { content: [{ type: "text", text }] } });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) uris = result?.roots.map(({ uri }) => uri);
  else if (METHODS[method]) METHODS[method](id, params);
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
});
