// @ts-check
/**
 * A minimal gateway: an HTTP server in front of one stdio server, which all clients share. Replaces the ids of requests
 * and puts them back into the responses. Has no sessions, checks, streams or error handling. Frozen, because every figure
 * of a gateway is a ratio to it.
 *
 *   node proxy.mjs <command> [args…]
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
/** @type {Map<number, { readonly id: unknown, readonly response: import("node:http").ServerResponse }>} */
const pending = new Map();
let rest = "";
let lastId = 0;

child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const message = JSON.parse(line);
    const waiting = pending.get(message.id);
    if (!waiting) continue;
    pending.delete(message.id);
    const body = JSON.stringify({ ...message, id: waiting.id });
    waiting.response.writeHead(200, { "content-type": "application/json" }).end(body);
  }
});

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const message = JSON.parse(body);
    if (message.id === undefined) {
      child.stdin.write(`${body}\n`);
      return void response.writeHead(202).end();
    }
    const id = ++lastId;
    pending.set(id, { id: message.id, response });
    child.stdin.write(`${JSON.stringify({ ...message, id })}\n`);
  });
});

server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://127.0.0.1:${address.port}/mcp`);
});

process.on("SIGTERM", () => {
  child.stdin.end();
  child.once("exit", () => process.exit());
});
