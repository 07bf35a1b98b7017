import { describe, expect, it } from "vitest";
import { countTests, verdict } from "../test-report.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe("counting", () => {
  it("takes every state that is neither passed nor failed for skipped", () => {
    const report = { testResults: [file("failed", "passed", "failed"), file("passed", "pending", "todo", "skipped")] };
    expect(countTests(report)).toEqual({ passed: 1, failed: 1, skipped: 3 });
  });

  it("counts a file that could not be loaded as one failure", () => {
    expect(countTests({ testResults: [file("failed"), file("passed", "passed")] })).toMatchObject({ failed: 1 });
  });
});

describe("the verdict", () => {
  const clean = { passed: 2, failed: 0, skipped: 0 };
  const run = { vitestStatus: 0, filtered: false };

  it.each([
    { what: "all passed", counts: clean, run, good: true },
    { what: "one failed", counts: { ...clean, failed: 1 }, run, good: false },
    { what: "one skipped", counts: { ...clean, skipped: 1 }, run, good: false },
    { what: "one left out by a filter", counts: { ...clean, skipped: 1 }, run: { ...run, filtered: true }, good: true },
    { what: "no test at all", counts: { ...clean, passed: 0 }, run, good: false },
    { what: "vitest failed beside the tests", counts: clean, run: { ...run, vitestStatus: 1 }, good: false },
  ])("$what: $good", ({ counts, run: how, good: expected }) => {
    expect(verdict(counts, how).good).toBe(expected);
  });

  it("is one line", () => {
    expect(verdict({ passed: 3, failed: 1, skipped: 2 }, run).line).toBe("3 passed, 1 failed, 2 skipped");
  });
});
