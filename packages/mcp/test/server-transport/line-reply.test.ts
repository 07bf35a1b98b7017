import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { LineReply } from "#server-transport/line-reply.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const MIB = 1024 * 1024;
const REVISION = "2025-11-25";

function setUp() {
  const output = new PassThrough({ highWaterMark: 64 * MIB });
  /** Returns the lines that were written since the last call, at the end of the turn. */
  const lines = async () => {
    await setImmediate();
    const text = String(output.read() ?? "");
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  };
  const clock = new ManualClock();
  return { reply: new LineReply(output, clock), lines, clock };
}

/** A response whose line has this many bytes. */
function responseOf(bytes: number, character = "a") {
  const response = (text: string) => ({ jsonrpc: "2.0" as const, id: 1, result: { text } });
  const rest = Buffer.byteLength(JSON.stringify(response("")));
  return response(character.repeat((bytes - rest) / Buffer.byteLength(character)));
}

describe("LineReply", () => {
  it("sends an error instead of a response over 9 MiB, because official clients end the connection at 10 MiB", async () => {
    const sentFor = (bytes: number, character?: string) => {
      const { reply, lines } = setUp();
      reply.send(responseOf(bytes, character), REVISION, "tools/call");
      return lines();
    };
    expect(await sentFor(9 * MIB)).toEqual([responseOf(9 * MIB)]);
    const error = { code: -32603, data: { plugboard: "RESPONSE_TOO_LARGE" } };
    const message: unknown = expect.stringContaining("9437185");
    expect(await sentFor(9 * MIB + 1)).toMatchObject([{ id: 1, error: { ...error, message } }]);
    expect(await sentFor(9 * MIB + 3, "€")).toMatchObject([{ id: 1, error }]);
  });

  it("drops a notification over 9 MiB, and sends the messages after it", async () => {
    const { reply, lines } = setUp();
    reply.send({ jsonrpc: "2.0", method: "notifications/message", params: { data: "a".repeat(9 * MIB) } }, REVISION);
    reply.send(responseOf(100), REVISION, "ping");
    reply.close();
    expect(await lines()).toEqual([responseOf(100)]);
  });

  describe("after progress", () => {
    const progress = (progressToken: number, value = 1) => ({
      ...{ jsonrpc: "2.0" as const, method: "notifications/progress" },
      params: { progressToken, progress: value },
    });
    const response = (id: number) => ({ jsonrpc: "2.0" as const, id, result: {} });

    it("sends the response of the same request 5 ms later, because SDK 1.x drops progress that arrives with a response", async () => {
      const { reply, lines, clock } = setUp();
      reply.send(progress(1), REVISION);
      reply.send(response(1), REVISION, "tools/call");
      expect(await lines()).toEqual([progress(1)]);
      clock.advance(4);
      expect(await lines()).toEqual([]);
      clock.advance(1);
      expect(await lines()).toEqual([response(1)]);
    });

    it("counts the 5 ms from the last progress, and does not delay a response that comes later", async () => {
      const { reply, lines, clock } = setUp();
      reply.send(progress(1), REVISION);
      clock.advance(3);
      reply.send(progress(1, 2), REVISION);
      clock.advance(3);
      reply.send(response(1), REVISION, "tools/call");
      clock.advance(1);
      expect(await lines()).toEqual([progress(1), progress(1, 2)]);
      clock.advance(1);
      reply.send(progress(2), REVISION);
      clock.advance(5);
      reply.send(response(2), REVISION, "tools/call");
      expect(await lines()).toEqual([response(1), progress(2), response(2)]);
    });

    it("does not delay the responses of other requests", async () => {
      const { reply, lines } = setUp();
      reply.send(progress(1), REVISION);
      reply.send(response(2), REVISION, "tools/call");
      expect(await lines()).toEqual([progress(1), response(2)]);
    });

    it("sends delayed responses at once when it is closed, and nothing afterwards", async () => {
      const { reply, lines, clock } = setUp();
      reply.send(progress(1), REVISION);
      reply.send(response(1), REVISION, "tools/call");
      reply.close();
      expect(await lines()).toEqual([progress(1), response(1)]);
      clock.advance(100);
      expect(await lines()).toEqual([]);
      expect(clock.pendingTimers).toBe(0);
    });
  });
});
