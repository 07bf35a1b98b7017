import { HostError } from "@plugboard/contracts";
import { FailedCalls } from "#activity/failed-calls.js";
import { describe, expect, it } from "vitest";

describe("FailedCalls", () => {
  it("returns the message of an error, and the text of a result with an error", () => {
    const calls = new FailedCalls();
    calls.recordError("1", new HostError("HOST_CLOSED", {}));
    calls.recordResult("2", [
      { type: "image", data: "x" },
      { type: "text", text: "no" },
      null,
      { type: "text", text: "file" },
    ]);
    calls.recordResult("3", "not a list");
    expect(calls.find("1")).toEqual({ reason: new HostError("HOST_CLOSED", {}).message });
    expect(calls.find("2")).toEqual({ reason: "no\nfile" });
    expect(calls.find("3")).toEqual({});
  });

  it("returns the arguments, with a note if they are cut or masked", () => {
    const calls = new FailedCalls();
    calls.recordArguments("1", { path: "/a" }, undefined);
    calls.recordArguments("2", { token: "abc" }, undefined);
    calls.recordArguments("3", { text: "x".repeat(20_000) }, undefined);
    expect(calls.find("1")).toEqual({ arguments: { path: "/a" } });
    expect(calls.find("2")).toEqual({ arguments: { token: "***" }, masked: true });
    expect(calls.find("3")).toEqual({ cutArguments: expect.stringMatching(/^\{"text":"x{16375}$/) as string });
  });

  it("drops the oldest of more than 500 calls, and cuts long texts", () => {
    const calls = new FailedCalls();
    const content = [{ type: "text", text: "x".repeat(10_000) }];
    for (let call = 0; call <= 500; call++) {
      calls.recordResult(String(call), content);
      calls.recordArguments(String(call), {}, undefined);
    }
    expect(calls.find("0")).toEqual({});
    expect(calls.find("1")).toMatchObject({ arguments: {} });
    expect(calls.find("500").reason).toHaveLength(4001);
  });

  it("drops the oldest arguments above the total size limit, but keeps the reasons", () => {
    const calls = new FailedCalls();
    for (let call = 0; call <= 128; call++) {
      calls.recordError(String(call), new HostError("HOST_CLOSED", {}));
      calls.recordArguments(String(call), { text: "x".repeat(20_000) }, undefined);
    }
    expect(Object.keys(calls.find("0"))).toEqual(["reason"]);
    expect(Object.keys(calls.find("1"))).toEqual(["reason", "cutArguments"]);
    calls.recordArguments("small", {}, undefined);
    expect(Object.keys(calls.find("1"))).toEqual(["reason"]);
    expect(Object.keys(calls.find("2"))).toEqual(["reason", "cutArguments"]);
  });
});
