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
    expect(calls.reasonOf("1")).toBe(new HostError("HOST_CLOSED", {}).message);
    expect(calls.reasonOf("2")).toBe("no\nfile");
    expect(calls.reasonOf("3")).toBeUndefined();
  });

  it("forgets the oldest of many calls, and cuts long texts", () => {
    const calls = new FailedCalls();
    const content = [{ type: "text", text: "x".repeat(10_000) }];
    for (let call = 0; call <= 500; call++) calls.recordResult(String(call), content);
    expect(calls.reasonOf("0")).toBeUndefined();
    expect(calls.reasonOf("500")).toHaveLength(4001);
  });
});
