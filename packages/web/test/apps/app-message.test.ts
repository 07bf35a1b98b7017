/** Tests how values that an App posts are read and measured. */
import {
  AppError,
  errorMessage,
  INVALID_PARAMS,
  measureMessage,
  METHOD_NOT_FOUND,
  notificationMessage,
  parseAppMessage,
  REQUEST_FAILED,
  resultMessage,
} from "#apps/app-message.js";
import { describe, expect, it } from "vitest";

const MAX_CHARS = 4_194_304;

describe("parseAppMessage", () => {
  it.each<[unknown, unknown]>([
    [
      { id: 1, method: "ping" },
      { type: "request", id: 1, method: "ping", params: {} },
    ],
    [
      { id: 0, method: "ping" },
      { type: "request", id: 0, method: "ping", params: {} },
    ],
    [
      { id: "a", method: "x", params: { a: 1 } },
      { type: "request", id: "a", method: "x", params: { a: 1 } },
    ],
    [
      { id: 1, method: "x", params: [1] },
      { type: "request", id: 1, method: "x", params: {} },
    ],
    [
      { method: "x", params: { a: 1 } },
      { type: "notification", method: "x", params: { a: 1 } },
    ],
    [
      { id: null, method: "x" },
      { type: "notification", method: "x", params: {} },
    ],
    [
      { id: "a", result: {} },
      { type: "response", id: "a" },
    ],
    [
      { id: 1, method: 5 },
      { type: "response", id: 1 },
    ],
    [{ result: {} }, undefined],
    [{ id: {}, result: {} }, undefined],
  ])("reads %j", (message, parsed) => {
    expect(parseAppMessage({ jsonrpc: "2.0", ...(message as object) })).toEqual(parsed);
  });

  it("ignores other versions, and values that are no objects of JSON", () => {
    for (const value of [
      { id: 1, method: "x" },
      { jsonrpc: "1.0", id: 1, method: "x" },
      [],
      null,
      "x",
      1,
      undefined,
      () => 1,
      1n,
    ])
      expect(parseAppMessage(value)).toBeUndefined();
  });
});

describe("measureMessage", () => {
  it.each<[unknown, number]>([
    ["abc", 3],
    [5, 0],
    [null, 0],
    [{}, 0],
    [{ ab: "cde" }, 5],
    [["ab", "c"], 5],
    [{ a: [{ bc: "d" }] }, 5],
  ])("counts the characters of %j", (value, chars) => {
    expect(measureMessage(value)).toBe(chars);
  });

  it("accepts exactly the limits of a message", () => {
    expect(measureMessage("a".repeat(MAX_CHARS))).toBe(MAX_CHARS);
    expect(measureMessage("a".repeat(MAX_CHARS + 1))).toBeUndefined();
    expect(measureMessage(Array.from({ length: 200_000 }, () => 0))).toBe(200_000);
    expect(measureMessage(Array.from({ length: 200_001 }, () => 0))).toBeUndefined();
    expect(measureMessage({ list: Array.from({ length: 199_999 }, () => 0) })).toBe(200_003);
    expect(measureMessage({ list: Array.from({ length: 200_000 }, () => 0) })).toBeUndefined();
    const object = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [index, 0]));
    expect(measureMessage(object(200_000))).toBeGreaterThan(200_000);
    expect(measureMessage(object(200_001))).toBeUndefined();
  });

  it("does not walk a list without items, bytes, or a list that contains itself", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [Array(1e9), new Uint8Array(10), new DataView(new ArrayBuffer(1)), cycle])
      expect(measureMessage(value)).toBeUndefined();
  });
});

describe("the messages to an App", () => {
  it("are messages of JSON-RPC 2.0", () => {
    expect(resultMessage(1, { a: 1 })).toEqual({ jsonrpc: "2.0", id: 1, result: { a: 1 } });
    expect(notificationMessage("x", {})).toEqual({ jsonrpc: "2.0", method: "x", params: {} });
    const message = "no";
    expect(errorMessage(1, new AppError(METHOD_NOT_FOUND, message))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message },
    });
    expect(errorMessage(1, new AppError(REQUEST_FAILED, message, { code: "X" }))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32000, message, data: { code: "X" } },
    });
    expect(INVALID_PARAMS).toBe(-32602);
  });
});
