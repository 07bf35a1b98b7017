import { classify } from "#wire/message.js";
import { describe, expect, it } from "vitest";

const rpc = { jsonrpc: "2.0" } as const;
const error = { code: -32000, message: "no" };

describe("an envelope is", { meta: { covers: ["R2.12", "R3.83"] } }, () => {
  it.each([
    ["a request by number", { ...rpc, id: 0, method: "ping" }, "request"],
    ["a request by text", { ...rpc, id: "", method: "ping" }, "request"],
    ["a request with params", { ...rpc, id: 1, method: "x", params: { a: [1] } }, "request"],
    ["a notification", { ...rpc, method: "notifications/x" }, "notification"],
    ["a notification with params", { ...rpc, method: "notifications/x", params: {} }, "notification"],
    ["a result by number", { ...rpc, id: 1, result: {} }, "result"],
    ["a result by text", { ...rpc, id: "1", result: {} }, "result"],
    ["a result with keys that nobody knows", { ...rpc, id: 1, result: {}, extra: 1 }, "result"],
  ] as const)("%s", { meta: { covers: ["R2.12", "R3.83", "R0.20", "R0.22", "R0.21"] } }, (_, value, type) => {
    expect(classify(value)).toEqual({ type, message: value });
  });

  it.each([
    ["by number", { ...rpc, id: 1, error }, { ...rpc, id: 1, error }],
    ["by text", { ...rpc, id: "1", error }, { ...rpc, id: "1", error }],
    ["with data", { ...rpc, id: 1, error: { ...error, data: [1] } }, { ...rpc, id: 1, error: { ...error, data: [1] } }],
    ["to a request that could not be read: null", { ...rpc, id: null, error }, { ...rpc, error }],
    ["to a request that could not be read: no id", { ...rpc, error }, { ...rpc, error }],
  ])("an error %s", (_, value, message) => {
    expect(classify(value)).toStrictEqual({ type: "error", message });
  });
});

describe("null stands for nothing where nothing need be:", () => {
  it.each([
    ["params of a request", { ...rpc, id: 1, method: "x", params: null }, "request", { ...rpc, id: 1, method: "x" }],
    ["params of a notification", { ...rpc, method: "x", params: null }, "notification", { ...rpc, method: "x" }],
    ["the id of a notification", { ...rpc, id: null, method: "x" }, "notification", { ...rpc, method: "x" }],
    ["an error beside a result", { ...rpc, id: 1, result: {}, error: null }, "result", { ...rpc, id: 1, result: {} }],
    ["a result beside an error", { ...rpc, id: 1, result: null, error }, "error", { ...rpc, id: 1, error }],
  ])("%s", { meta: { covers: ["R0.23"] } }, (_, value, type, message) => {
    expect(classify(value)).toStrictEqual({ type, message });
  });
});

describe("what is no envelope tells what it may have been meant for:", () => {
  it.each([
    [
      "an answer: a batch with one in it",
      [
        { ...rpc, method: "x" },
        { ...rpc, id: 1, result: {} },
      ],
      "answer",
    ],
    ["an answer: a result without an id", { ...rpc, result: {} }, "answer"],
    ["an answer: a result that is null", { ...rpc, id: 1, result: null }, "answer"],
    ["an answer: no version, but an id and a result", { id: 1, result: {} }, "answer"],
    ["a request: params in a list", { ...rpc, id: 1, method: "x", params: [] }, "request"],
    ["a request: a method that is no text", { ...rpc, id: 1, method: 7 }, "request"],
    ["a request: a batch of nothing else", [{ ...rpc, method: "x" }], "request"],
    ["noise: a log entry", { level: "info", msg: "starting" }, "noise"],
    ["noise: a log entry with an id", { level: "info", id: 1, msg: "took it" }, "noise"],
    ["noise: a log entry of an error", { level: "error", error: { code: 1, message: "oh" } }, "noise"],
    ["noise: a log entry of an error with an id", { level: "error", id: 1, error: "oh" }, "noise"],
    ["noise: an id alone", { id: 1 }, "noise"],
    ["noise: a list of other things", [1, 2], "noise"],
    ["noise: a text", "hello", "noise"],
  ])("%s", (_, value: unknown, looksLike) => {
    expect(classify(value)).toMatchObject({ type: "malformed", looksLike });
  });
});

describe("what is no envelope keeps its id, so that the one request can be failed:", () => {
  it.each([
    ["no version", { id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
    ["another version", { jsonrpc: "1.0", id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
    ["a version by number", { jsonrpc: 2.0, id: 1, result: {} }, '"jsonrpc" is not "2.0"'],
    ["a method that is no text", { ...rpc, id: 1, method: 7 }, '"method" is not a string'],
    ["params in a list", { ...rpc, id: 1, method: "x", params: [1] }, '"params" is not an object'],
    ["a result and an error", { ...rpc, id: 1, result: {}, error }, 'both "result" and "error"'],
    ["an error without a code", { ...rpc, id: 1, error: { message: "no" } }, '"error" has no code and message'],
    ["an error that is text", { ...rpc, id: 1, error: "no" }, '"error" has no code and message'],
    ["a result that is a list", { ...rpc, id: 1, result: [] }, '"result" is not an object'],
    ["a result that is null", { ...rpc, id: 1, result: null }, '"result" is not an object'],
    ["nothing at all", { ...rpc, id: 1 }, 'neither "method" nor "result" nor "error"'],
  ])("%s", { meta: { covers: ["R0.28"] } }, (_, value, reason) => {
    expect(classify(value)).toMatchObject({ type: "malformed", reason, id: 1 });
    expect(classify({ ...value, id: "one" })).toMatchObject({ type: "malformed", reason, id: "one" });
  });
});

describe("what is no envelope and has no id stands for itself:", () => {
  it.each([
    ["a batch", [{ ...rpc, id: 1, result: {} }], "a batch"],
    ["an empty batch", [], "a batch"],
    ["a text", "hello", "not an object"],
    ["null", null, "not an object"],
    ["nothing", undefined, "not an object"],
    ["a request whose id is an object", { ...rpc, id: {}, method: "x" }, '"id" is neither a string nor a number'],
    [
      "a request whose id is no number",
      { ...rpc, id: Number.NaN, method: "x" },
      '"id" is neither a string nor a number',
    ],
    ["a result whose id is null", { ...rpc, id: null, result: {} }, "a result without an id"],
    ["a result without an id", { ...rpc, result: {} }, "a result without an id"],
    ["a notification with params in a list", { ...rpc, method: "x", params: [] }, '"params" is not an object'],
  ])("%s", (_, value: unknown, reason) => {
    const incoming = classify(value);
    expect(incoming).toMatchObject({ type: "malformed", reason });
    expect(incoming).not.toHaveProperty("id");
  });
});
