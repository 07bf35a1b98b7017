import { describe, expect, it } from "vitest";
import { countTests, verdict } from "../test-runner/test-report.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe("countTests", () => {
  it("counts every state other than passed and failed as skipped", () => {
    const report = { testResults: [file("failed", "passed", "failed"), file("passed", "pending", "todo", "skipped")] };
    expect(countTests(report)).toEqual({ passed: 1, failed: 1, skipped: 3 });
  });

  it("counts a file that could not be loaded as one failure", () => {
    expect(countTests({ testResults: [file("failed"), file("passed", "passed")] })).toMatchObject({ failed: 1 });
  });
});

describe("verdict", () => {
  const clean = { passed: 2, failed: 0, skipped: 0 };
  const run = { vitestStatus: 0, filtered: false };

  it.each([
    { reason: "all tests passed", counts: clean, run, good: true },
    { reason: "one test failed", counts: { ...clean, failed: 1 }, run, good: false },
    { reason: "one test was skipped", counts: { ...clean, skipped: 1 }, run, good: false },
    {
      reason: "a filter excluded one test",
      counts: { ...clean, skipped: 1 },
      run: { ...run, filtered: true },
      good: true,
    },
    { reason: "no test ran", counts: { ...clean, passed: 0 }, run, good: false },
    { reason: "vitest itself failed", counts: clean, run: { ...run, vitestStatus: 1 }, good: false },
  ])("returns good: $good if $reason", ({ counts, run: options, good: expected }) => {
    expect(verdict(counts, options).good).toBe(expected);
  });

  it("returns the counts as one line", () => {
    expect(verdict({ passed: 3, failed: 1, skipped: 2 }, run).line).toBe("3 passed, 1 failed, 2 skipped");
  });
});
