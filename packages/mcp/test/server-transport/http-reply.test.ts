/** Tests the HTTP response to a client of the gateway. */
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { HttpReply } from "#server-transport/http-reply.js";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** A response to a client that reads nothing. It can be ended, but it never emits `close`. */
class UnreadResponse extends EventEmitter {
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
  const response = new UnreadResponse();
  return { response, reply: new HttpReply(response as unknown as ServerResponse) };
}

it("HttpReply sends one JSON body if no other message comes first", () => {
  const { response, reply } = open();
  reply.send(answer, "2025-11-25", "ping");
  expect(response).toMatchObject({ status: 200, written: [JSON.stringify(answer)], writableEnded: true });
});

it("HttpReply sends an event stream if a notification comes first, and nothing after the response", () => {
  const { response, reply } = open();
  reply.send(progress, "2025-11-25");
  vi.advanceTimersByTime(15_000);
  expect(response.written.at(-1)).toBe(": still here\n\n");
  reply.send(answer, "2025-11-25", "ping");
  const writtenCount = response.written.length;
  vi.advanceTimersByTime(60_000);
  reply.send(progress, "2025-11-25");
  expect(response.written).toHaveLength(writtenCount);
});

it("HttpReply sends nothing after it was ended without a response", () => {
  const { response, reply } = open();
  reply.send(progress, "2025-11-25");
  reply.end();
  vi.advanceTimersByTime(60_000);
  expect(response.written).toHaveLength(1);
});

it("HttpReply disconnects a client that does not read", () => {
  const { response, reply } = open();
  const large = { ...progress, params: { ...progress.params, message: "x".repeat(1024 * 1024) } };
  for (let sent = 0; sent < 20; sent++) reply.send(large, "2025-11-25");
  expect(response.destroyed).toBe(true);
});
