import { serializeMessage } from "#wire/serialize-message.js";
import { describe, expect, it } from "vitest";

const call = (value: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { value } }) as never;

describe("serializeMessage", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  let deep: unknown = 0;
  for (let level = 0; level < 100_000; level++) deep = [deep];

  it.each([
    ["a BigInt", 1n],
    ["a circular object", circular],
    ["a value that is nested too deep", deep],
  ])("throws INVALID_ARGUMENTS for %s", (_, value) => {
    expect(() => serializeMessage(call(value))).toThrowError(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", message: expect.not.stringContaining("\n") as string }),
    );
  });
});
