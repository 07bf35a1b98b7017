/**
 * A legacy stdio server whose tools ask the user to visit a page: `visit` asks during the call, `protected` rejects the
 * call until the visit. The tool `finish` completes the visit with the given id, and reports it unless `silent` is set.
 * The subscriptions to `doc:1` … `doc:4` succeed once the file in its first argument exists; `doc:refused` never does.
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const [, , file] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });
const page = (elicitationId) => ({ mode: "url", message: "Log in", url: "https://example.com/in", elicitationId });
const tools = ["visit", "protected", "finish", "forget", "write"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));
const URIS = ["doc:1", "doc:2", "doc:3", "doc:4", "doc:refused"];
const capabilities = { tools: {}, resources: { subscribe: true } };
/** The calls that wait for the answer to their question, by the id of the question. */
const asking = new Map();
const visited = new Set();

const TOOLS = {
  visit: (id) => {
    asking.set(`ask-${id}`, id);
    send({ id: `ask-${id}`, method: "elicitation/create", params: page("during") });
  },
  protected: (id) => {
    if (visited.has("before")) return answer(id, "welcome");
    const data = { elicitations: [page("before")] };
    send({ id, error: { code: -32042, message: "Visit a page first", data } });
  },
  finish: (id, { elicitationId, silent = false }) => {
    visited.add(elicitationId);
    if (!silent) send({ method: "notifications/elicitation/complete", params: { elicitationId } });
    answer(id, "finished");
  },
  forget: (id, { elicitationId }) => {
    visited.delete(elicitationId);
    answer(id, "forgotten");
  },
  write: (id, { uri }) => {
    send({ method: "notifications/resources/updated", params: { uri } });
    answer(id, "written");
  },
};

const METHODS = {
  initialize: (id) => {
    const serverInfo = { name: "visit-server", version: "1" };
    send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  },
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id) => send({ id, result: { tools } }),
  "tools/call": (id, { name, arguments: args }) => TOOLS[name](id, args),
  "resources/list": (id) => send({ id, result: { resources: URIS.map((uri) => ({ uri, name: uri })) } }),
  "resources/templates/list": (id) => send({ id, result: { resourceTemplates: [] } }),
  "resources/subscribe": async (id, { uri }) => {
    if (uri === "doc:refused") return send({ id, error: { code: -32000, message: "not this one", data: { a: 1 } } });
    if (!URIS.includes(uri)) return send({ id, error: { code: -32002, message: "unknown" } });
    while (!existsSync(file)) await delay(10);
    send({ id, result: {} });
  },
  "resources/unsubscribe": (id) => send({ id, result: {} }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return answer(asking.get(id), JSON.stringify(result));
  if (id === undefined) return;
  if (METHODS[method]) METHODS[method](id, params);
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
