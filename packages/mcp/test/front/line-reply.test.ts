import { PassThrough } from "node:stream";
import { LineReply } from "#front/line-reply.js";
import { describe, expect, it } from "vitest";

const MIB = 1024 * 1024;
const REVISION = "2025-11-25";

function setUp() {
  const output = new PassThrough({ highWaterMark: 64 * MIB });
  const lines = () =>
    String(output.read() ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  return { reply: new LineReply(output), lines };
}

/** A response whose line has this many bytes. */
function responseOf(bytes: number, character = "a") {
  const response = (text: string) => ({ jsonrpc: "2.0" as const, id: 1, result: { text } });
  const rest = Buffer.byteLength(JSON.stringify(response("")));
  return response(character.repeat((bytes - rest) / Buffer.byteLength(character)));
}

describe("LineReply", () => {
  it("sends an error instead of a response over 9 MiB, because official clients end the connection at 10 MiB", () => {
    const sentFor = (bytes: number, character?: string) => {
      const { reply, lines } = setUp();
      reply.send(responseOf(bytes, character), REVISION, "tools/call");
      return lines();
    };
    expect(sentFor(9 * MIB)).toEqual([responseOf(9 * MIB)]);
    const error = { code: -32603, data: { plugboard: "RESPONSE_TOO_LARGE" } };
    const message: unknown = expect.stringContaining("9437185");
    expect(sentFor(9 * MIB + 1)).toMatchObject([{ id: 1, error: { ...error, message } }]);
    expect(sentFor(9 * MIB + 3, "€")).toMatchObject([{ id: 1, error }]);
  });

  it("drops a notification over 9 MiB, and sends what follows", () => {
    const { reply, lines } = setUp();
    reply.send({ jsonrpc: "2.0", method: "notifications/message", params: { data: "a".repeat(9 * MIB) } }, REVISION);
    reply.send(responseOf(100), REVISION, "ping");
    reply.close();
    expect(lines()).toEqual([responseOf(100)]);
  });
});
