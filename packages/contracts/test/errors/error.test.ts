import { HostError, isHostError, isPeerError, toHostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const refusal = { code: -32601, message: "no such method", data: { method: "x" } };

it("says what happened and then what to do", () => {
  const error = new HostError("SERVER_DISABLED", { server: "files" });
  expect(error.message).toBe('"files" is disabled. Set `enabled` to true in its definition.');
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe("HostError");
});

it("ends with what happened where nothing can be done", () => {
  expect(new HostError("CANCELLED", { reason: "the user left" }).message).toBe("Cancelled: the user left.");
});

it("is JSON with its code, its words and its details", () => {
  const error = new HostError("TOOL_NOT_FOUND", { tool: "raed", suggestion: "read" }, { cause: new Error("inner") });
  expect(JSON.parse(JSON.stringify(error))).toStrictEqual({
    code: "TOOL_NOT_FOUND",
    message: error.message,
    details: { tool: "raed", suggestion: "read" },
  });
});

it("carries the peer's own words into JSON, whole", { meta: { covers: ["R1.51"] } }, () => {
  const details = { server: "files", method: "tools/list", code: -32601, message: "no such method" };
  const error = new HostError("REQUEST_FAILED", details, { cause: refusal });
  expect(error.peer).toBe(refusal);
  expect(error.toJSON().peer).toStrictEqual(refusal);
});

describe("what did not come from the peer is not given as its words:", () => {
  it.each([
    ["no cause", undefined],
    ["an error", new Error("inner")],
    ["a system error", Object.assign(new Error("open"), { code: "ENOENT", errno: -2 })],
    ["an abort", AbortSignal.abort().reason],
    ["a text", "gone"],
    ["an answer without a message", { code: 1 }],
    ["an answer without a code", { message: "gone" }],
    ["a list", [1, "gone"]],
    ["nothing", null],
  ])("%s", (_, cause: unknown) => {
    const error = new HostError("HOST_CLOSED", {}, { cause });
    expect(error.peer).toBeUndefined();
    expect(error.toJSON()).not.toHaveProperty("peer");
    expect(error.cause).toBe(cause);
  });
});

it.each([
  [{ code: -32000, message: "" }, true],
  [{ code: "-32000", message: "text" }, false],
  [{ code: -32000, message: { text: "text" } }, false],
])("%j is an error of a peer: %s", (value, expected) => {
  expect(isPeerError(value)).toBe(expected);
});

describe("anything that was thrown", () => {
  it("stays what it is if it is an error of ours", () => {
    const error = new HostError("HOST_CLOSED", {});
    expect(toHostError(error)).toBe(error);
  });

  it.each([
    ["an error", new TypeError("x is not a function"), "x is not a function"],
    ["a text", "boom", "boom"],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("odd"), "Symbol(odd)"],
  ])("is a defect if it is %s", (_, thrown: unknown, what) => {
    const error = toHostError(thrown);
    expect(error).toMatchObject({ code: "INTERNAL", details: { reason: what }, cause: thrown });
    expect(error.message).toContain(what);
  });

  it("is a defect even if it can't be written as text", () => {
    const thrown: unknown = Object.create(null);
    expect(toHostError(thrown)).toMatchObject({ code: "INTERNAL", cause: thrown });
  });
});

it("is known by its code, and then its details are", () => {
  const thrown: unknown = new HostError("TOOL_NOT_FOUND", { tool: "files:raed", suggestion: "files:read" });
  if (!isHostError(thrown) || thrown.code !== "TOOL_NOT_FOUND") throw new Error("not known");
  const { suggestion }: { suggestion?: string } = thrown.details;
  expect(suggestion).toBe("files:read");
  expect(isHostError(new Error("no"))).toBe(false);
});
