/** The chaotic server over stdio. */
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";
import { effectResult, NO_SUCH_METHOD, plainResult } from "./effect-tool.ts";
import type { ChaoticRequest } from "./effect-tool.ts";

/** The faults that a call can request. The server answers some of these calls, and never answers the others. */
export const STDIO_FAULTS = [
  "none",
  "crash before",
  "crash after",
  "killed",
  "hang",
  "late",
  "twice",
  "another id",
  "id as text",
  "banner",
  "in pieces",
  "batch",
  "both result and error",
  "many list_changed",
  "loud on stderr",
  "closes stdout",
  "asks for what was never declared",
  "too large",
  "nested deeply",
] as const;

export function serveStdio(recordEffect: (key: string) => void): void {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line) as ChaoticRequest;
    if (message.id === undefined) return;
    if (message.method === "tools/call") return call(message, recordEffect);
    const result = plainResult(message);
    send({ id: message.id, ...(result ? { result } : { error: NO_SUCH_METHOD }) });
  });
}

function call({ id, params }: ChaoticRequest, recordEffect: (key: string) => void): void {
  const { key = "", fault = "none" } = params?.arguments ?? {};
  if (fault === "crash before") process.exit(3);
  recordEffect(key);
  const answer = { id, result: effectResult(key) };
  switch (fault) {
    case "crash after":
      process.stderr.write("chaotic: going down\n", () => process.exit(4));
      return;
    case "killed":
      process.kill(process.pid, "SIGKILL");
      return;
    case "hang":
      return;
    case "late":
      setTimeout(() => send(answer), 300);
      return;
    case "twice":
      send(answer);
      break;
    case "another id":
      send({ ...answer, id: Number(id) + 1000 });
      break;
    case "id as text":
      return send({ ...answer, id: String(id) });
    case "banner":
      process.stdout.write("Welcome!\n\n{not json\n[]\n");
      break;
    case "in pieces":
      return sendInPieces(Buffer.from(`${toLine(answer)}\r\n`));
    case "batch":
      process.stdout.write(`[${toLine(answer)}]\n`);
      return;
    case "both result and error":
      return send({ ...answer, error: NO_SUCH_METHOD });
    case "many list_changed":
      for (let count = 0; count < 1000; count++) send({ method: "notifications/tools/list_changed" });
      break;
    case "loud on stderr":
      process.stderr.write("x".repeat(1 << 20));
      break;
    case "closes stdout":
      return closeSync(1);
    case "asks for what was never declared":
      send({ id: "q", method: "sampling/createMessage", params: { messages: [] } });
      break;
    case "too large":
      process.stdout.write("y".repeat(3 << 20));
      return;
    case "nested deeply":
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${"[".repeat(50_000)}${"]".repeat(50_000)}}\n`);
      return;
  }
  send(answer);
}

function sendInPieces(bytes: Buffer, offset = 0): void {
  if (offset >= bytes.length) return;
  process.stdout.write(bytes.subarray(offset, offset + 7), () => setImmediate(() => sendInPieces(bytes, offset + 7)));
}

function send(message: object): void {
  process.stdout.write(`${toLine(message)}\n`);
}

function toLine(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}
