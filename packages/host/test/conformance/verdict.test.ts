import { describe, expect, it } from "vitest";
import { verdict } from "./verdict.mjs";

const good = { id: "a", name: "A", status: "SUCCESS" };

function problems(scenario: string, checks: { id: string; name: string; status: string }[], failure = "") {
  return verdict(scenario, { checks, failure, log: "", output: "" }).problems;
}

describe("verdict of a conformance scenario", () => {
  it("passes with a successful check and a successful client", () => {
    expect(problems("any", [good, { id: "b", name: "B", status: "INFO" }])).toEqual([]);
  });

  it.each(["FAILURE", "WARNING", "SKIPPED"])(
    "fails if a check ends in %s without an explanation in the list",
    (status) => {
      expect(problems("any", [good, { id: "b", name: "B", status }])).toEqual([`${status} b B`]);
    },
  );

  it("passes if the list explains a SKIPPED check, but only in the scenario that the list names", () => {
    const skip = { id: "b", name: "ClientMcpMethodHeader_initialize", status: "SKIPPED" };
    expect(problems("http-standard-headers", [good, skip])).toEqual([]);
    expect(problems("any", [good, skip])).toHaveLength(1);
    expect(problems("http-standard-headers", [good, { ...skip, status: "FAILURE" }])).toHaveLength(1);
  });

  it("fails if no check passed", () => {
    expect(problems("any", [])).toEqual(["no check passed"]);
    expect(problems("any", [{ id: "b", name: "B", status: "INFO" }])).toEqual(["no check passed"]);
  });

  it("fails if the client failed", () => {
    expect(problems("any", [good], "it broke")).toEqual(["the client failed: it broke"]);
  });
});
