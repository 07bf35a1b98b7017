/** Tests `HostError` and the functions that recognise and convert errors. */
import { HostError, isHostError, isPeerError, toHostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const serverError = { code: -32601, message: "no such method", data: { method: "x" } };

describe("HostError", () => {
  it("has a message that says what happened and what to do", () => {
    const error = new HostError("SERVER_DISABLED", { server: "files" });
    expect(error.message).toBe('"files" is disabled. Set `enabled` to true in its definition.');
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("HostError");
  });

  it("has a message without advice if nothing can be done", () => {
    expect(new HostError("CANCELLED", { reason: "the user left" }).message).toBe("Cancelled: the user left.");
  });

  it("serialises to JSON with code, message and details", () => {
    const error = new HostError("TOOL_NOT_FOUND", { tool: "raed", suggestion: "read" }, { cause: new Error("inner") });
    expect(JSON.parse(JSON.stringify(error))).toStrictEqual({
      code: "TOOL_NOT_FOUND",
      message: error.message,
      details: { tool: "raed", suggestion: "read" },
    });
  });

  it("serialises the server's error unchanged", { meta: { covers: ["R1.51"] } }, () => {
    const details = { server: "files", method: "tools/list", code: -32601, message: "no such method" };
    const error = new HostError("REQUEST_FAILED", details, { cause: serverError });
    expect(error.peer).toBe(serverError);
    expect(error.toJSON().peer).toStrictEqual(serverError);
  });

  it("is recognised by isHostError, and its code narrows the type of its details", () => {
    const thrown: unknown = new HostError("TOOL_NOT_FOUND", { tool: "files:raed", suggestion: "files:read" });
    if (!isHostError(thrown) || thrown.code !== "TOOL_NOT_FOUND") throw new Error("not recognised");
    const { suggestion }: { suggestion?: string } = thrown.details;
    expect(suggestion).toBe("files:read");
    expect(isHostError(new Error("no"))).toBe(false);
  });
});

describe("HostError.peer", () => {
  it.each([
    ["absent", undefined],
    ["an error", new Error("inner")],
    ["a system error", Object.assign(new Error("open"), { code: "ENOENT", errno: -2 })],
    ["an abort", AbortSignal.abort().reason],
    ["a string", "gone"],
    ["a response without a message", { code: 1 }],
    ["a response without a code", { message: "gone" }],
    ["a list", [1, "gone"]],
    ["null", null],
  ])("is undefined if the cause is %s", (_, cause: unknown) => {
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
])("isPeerError(%j) is %s", (value, expected) => {
  expect(isPeerError(value)).toBe(expected);
});

describe("toHostError", () => {
  it("returns a HostError unchanged", () => {
    const error = new HostError("HOST_CLOSED", {});
    expect(toHostError(error)).toBe(error);
  });

  it.each([
    ["an error", new TypeError("x is not a function"), "x is not a function"],
    ["a string", "boom", "boom"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("odd"), "Symbol(odd)"],
  ])("converts %s to INTERNAL", (_, thrown: unknown, reason) => {
    const error = toHostError(thrown);
    expect(error).toMatchObject({ code: "INTERNAL", details: { reason }, cause: thrown });
    expect(error.message).toContain(reason);
  });

  it("converts an object that has no string form to INTERNAL", () => {
    const thrown: unknown = Object.create(null);
    expect(toHostError(thrown)).toMatchObject({ code: "INTERNAL", cause: thrown });
  });
});
