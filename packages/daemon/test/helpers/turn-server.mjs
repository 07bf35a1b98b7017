/**
 * A legacy server for tests of turns: `node turn-server.mjs <journal>`. Its tools: `meet` answers when two calls of it
 * run, `wait` never answers, `fail` reports an error, `die` ends the process, and `grow` adds the tool `grown`. The
 * journal gets a line for each call and each cancellation.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , journal] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (line) => appendFileSync(journal, `${line}\n`);
const names = ["meet", "wait", "fail", "die", "grow", "echo"];
const meeting = [];

const answer = (id, text, isError = false) => send({ id, result: { content: [{ type: "text", text }], isError } });

const calls = {
  meet(id) {
    meeting.push(id);
    if (meeting.length === 2) for (const one of meeting.splice(0)) answer(one, "met");
  },
  wait: () => {},
  fail: (id) => answer(id, "the disk is full", true),
  die: () => process.exit(3),
  grow(id) {
    names.unshift("grown");
    send({ method: "notifications/tools/list_changed" });
    answer(id, "grew");
  },
  grown: (id) => answer(id, "hello"),
  echo: (id, { text }) => answer(id, String(text)),
};

const methods = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "turn-server", version: "1" },
  }),
  "tools/list": () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "notifications/cancelled") note("cancelled");
  else if (method === "tools/call") {
    note(params.name);
    calls[params.name](id, params.arguments);
  } else if (id !== undefined && methods[method]) send({ id, result: methods[method]() });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
}
process.exit();
