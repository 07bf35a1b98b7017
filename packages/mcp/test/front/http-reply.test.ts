/** The answer to a front over HTTP. */
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { HttpReply } from "#front/http-reply.js";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** A response whose reader takes nothing: it is ended, and never closed. */
class Unread extends EventEmitter {
  readonly written: string[] = [];
  status: number | undefined;
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  writableLength = 0;
  writeHead(status: number) {
    this.status = status;
    this.headersSent = true;
    return this;
  }
  flushHeaders() {}
  write(text: string) {
    if (this.writableEnded) throw new Error("write after end");
    this.written.push(text);
    this.writableLength += text.length;
  }
  end(text?: string) {
    if (text !== undefined) this.write(text);
    this.writableEnded = true;
  }
  destroy() {
    this.destroyed = true;
  }
}

const progress = {
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 1, progress: 1 },
} as const;
const answer = { jsonrpc: "2.0", id: 1, result: {} } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const response = new Unread();
  return { response, reply: new HttpReply(response as unknown as ServerResponse) };
}

it("is one body when the answer is all there is", () => {
  const { response, reply } = open();
  reply.send(answer, "2025-11-25", "ping");
  expect(response).toMatchObject({ status: 200, written: [JSON.stringify(answer)], writableEnded: true });
});

it("is a stream when something comes before the answer, and says nothing after it", () => {
  const { response, reply } = open();
  reply.send(progress, "2025-11-25");
  vi.advanceTimersByTime(15_000);
  expect(response.written.at(-1)).toBe(": still here\n\n");
  reply.send(answer, "2025-11-25", "ping");
  const said = response.written.length;
  vi.advanceTimersByTime(60_000);
  reply.send(progress, "2025-11-25");
  expect(response.written).toHaveLength(said);
});

it("says nothing after it was ended without an answer", () => {
  const { response, reply } = open();
  reply.send(progress, "2025-11-25");
  reply.end();
  vi.advanceTimersByTime(60_000);
  expect(response.written).toHaveLength(1);
});

it("gives up a client that does not read", () => {
  const { response, reply } = open();
  const large = { ...progress, params: { ...progress.params, message: "x".repeat(1024 * 1024) } };
  for (let sent = 0; sent < 20; sent++) reply.send(large, "2025-11-25");
  expect(response.destroyed).toBe(true);
});
