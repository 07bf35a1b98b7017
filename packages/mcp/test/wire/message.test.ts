import { classify, serializeMessage } from "#wire/message.js";
import { describe, expect, it } from "vitest";

const rpc = { jsonrpc: "2.0" } as const;
const error = { code: -32000, message: "no" };

describe("classify", () => {
  describe("valid message", { meta: { covers: ["R2.12", "R3.83"] } }, () => {
    it.each([
      ["a request with a number as id", { ...rpc, id: 0, method: "ping" }, "request"],
      ["a request with a string as id", { ...rpc, id: "", method: "ping" }, "request"],
      ["a request with params", { ...rpc, id: 1, method: "x", params: { a: [1] } }, "request"],
      ["a notification", { ...rpc, method: "notifications/x" }, "notification"],
      ["a notification with params", { ...rpc, method: "notifications/x", params: {} }, "notification"],
      ["a result with a number as id", { ...rpc, id: 1, result: {} }, "result"],
      ["a result with a string as id", { ...rpc, id: "1", result: {} }, "result"],
      ["a result with unknown keys", { ...rpc, id: 1, result: {}, extra: 1 }, "result"],
    ] as const)(
      "recognises %s",
      { meta: { covers: ["R2.12", "R3.83", "R0.20", "R0.22", "R0.21"] } },
      (_, value, type) => {
        expect(classify(value)).toEqual({ type, message: value });
      },
    );

    it.each([
      ["with a number as id", { ...rpc, id: 1, error }, { ...rpc, id: 1, error }],
      ["with a string as id", { ...rpc, id: "1", error }, { ...rpc, id: "1", error }],
      [
        "with data",
        { ...rpc, id: 1, error: { ...error, data: [1] } },
        { ...rpc, id: 1, error: { ...error, data: [1] } },
      ],
      ["whose id is null", { ...rpc, id: null, error }, { ...rpc, error }],
      ["without an id", { ...rpc, error }, { ...rpc, error }],
    ])("recognises an error response %s", (_, value, message) => {
      expect(classify(value)).toStrictEqual({ type: "error", message });
    });
  });

  describe("optional field", () => {
    it.each([
      [
        "the params of a request",
        { ...rpc, id: 1, method: "x", params: null },
        "request",
        { ...rpc, id: 1, method: "x" },
      ],
      ["the params of a notification", { ...rpc, method: "x", params: null }, "notification", { ...rpc, method: "x" }],
      ["the id of a notification", { ...rpc, id: null, method: "x" }, "notification", { ...rpc, method: "x" }],
      ["the error of a result", { ...rpc, id: 1, result: {}, error: null }, "result", { ...rpc, id: 1, result: {} }],
      ["the result of an error response", { ...rpc, id: 1, result: null, error }, "error", { ...rpc, id: 1, error }],
    ])("treats null as absent for %s", { meta: { covers: ["R0.23"] } }, (_, value, type, message) => {
      expect(classify(value)).toStrictEqual({ type, message });
    });
  });

  describe("malformed message", () => {
    it.each([
      [
        "a response: a batch that contains a result",
        [
          { ...rpc, method: "x" },
          { ...rpc, id: 1, result: {} },
        ],
        "response",
      ],
      ["a response: a result without an id", { ...rpc, result: {} }, "response"],
      ["a response: a result that is null", { ...rpc, id: 1, result: null }, "response"],
      ["a response: an id and a result without a version", { id: 1, result: {} }, "response"],
      ["a request: its params are an array", { ...rpc, id: 1, method: "x", params: [] }, "request"],
      ["a request: its method is no string", { ...rpc, id: 1, method: 7 }, "request"],
      ["a request: a batch of requests only", [{ ...rpc, method: "x" }], "request"],
      ["noise: a JSON log entry", { level: "info", msg: "starting" }, "noise"],
      ["noise: a JSON log entry with an id", { level: "info", id: 1, msg: "took it" }, "noise"],
      ["noise: a JSON log entry with an error", { level: "error", error: { code: 1, message: "oh" } }, "noise"],
      ["noise: a JSON log entry with an error and an id", { level: "error", id: 1, error: "oh" }, "noise"],
      ["noise: an id alone", { id: 1 }, "noise"],
      ["noise: an array of numbers", [1, 2], "noise"],
      ["noise: a string", "hello", "noise"],
    ])("looks like %s", (_, value: unknown, looksLike) => {
      expect(classify(value)).toMatchObject({ type: "malformed", looksLike });
    });
  });

  describe("malformed message with an id", () => {
    it.each([
      ["no version", { id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
      ["another version", { jsonrpc: "1.0", id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
      ["a version that is a number", { jsonrpc: 2.0, id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
      ["a method that is no string", { ...rpc, id: 1, method: 7 }, '"method" is not a string'],
      ["params that are an array", { ...rpc, id: 1, method: "x", params: [1] }, '"params" is not an object'],
      ["a result and an error", { ...rpc, id: 1, result: {}, error }, 'both "result" and "error"'],
      ["an error without a code", { ...rpc, id: 1, error: { message: "no" } }, '"error" has no code and message'],
      ["an error that is a string", { ...rpc, id: 1, error: "no" }, '"error" has no code and message'],
      ["a result that is an array", { ...rpc, id: 1, result: [] }, '"result" is not an object'],
      ["a result that is null", { ...rpc, id: 1, result: null }, '"result" is not an object'],
      ["a message without method, result and error", { ...rpc, id: 1 }, 'neither "method" nor "result" nor "error"'],
    ])("keeps the id for %s", { meta: { covers: ["R0.28"] } }, (_, value, reason) => {
      expect(classify(value)).toMatchObject({ type: "malformed", reason, id: 1 });
      expect(classify({ ...value, id: "one" })).toMatchObject({ type: "malformed", reason, id: "one" });
    });
  });

  describe("malformed message without an id", () => {
    it.each([
      ["a batch", [{ ...rpc, id: 1, result: {} }], "a batch"],
      ["an empty batch", [], "a batch"],
      ["a string", "hello", "not an object"],
      ["null", null, "not an object"],
      ["undefined", undefined, "not an object"],
      ["a request whose id is an object", { ...rpc, id: {}, method: "x" }, '"id" is neither a string nor a number'],
      ["a request whose id is NaN", { ...rpc, id: Number.NaN, method: "x" }, '"id" is neither a string nor a number'],
      ["a result whose id is null", { ...rpc, id: null, result: {} }, "a result without an id"],
      ["a result without an id", { ...rpc, result: {} }, "a result without an id"],
      ["a notification whose params are an array", { ...rpc, method: "x", params: [] }, '"params" is not an object'],
    ])("names the reason for %s", (_, value: unknown, reason) => {
      const incoming = classify(value);
      expect(incoming).toMatchObject({ type: "malformed", reason });
      expect(incoming).not.toHaveProperty("id");
    });
  });
});

describe("serializeMessage", () => {
  const call = (value: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { value } }) as never;
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
