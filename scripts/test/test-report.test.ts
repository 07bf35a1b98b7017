import { describe, expect, it } from "vitest";
import { countTests, verdict } from "../test-report.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe("counting the tests of a report", () => {
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
    { what: "all tests passed", counts: clean, run, good: true },
    { what: "one test failed", counts: { ...clean, failed: 1 }, run, good: false },
    { what: "one test was skipped", counts: { ...clean, skipped: 1 }, run, good: false },
    {
      what: "a filter excluded one test",
      counts: { ...clean, skipped: 1 },
      run: { ...run, filtered: true },
      good: true,
    },
    { what: "no test ran", counts: { ...clean, passed: 0 }, run, good: false },
    { what: "vitest itself failed", counts: clean, run: { ...run, vitestStatus: 1 }, good: false },
  ])("is $good if $what", ({ counts, run: how, good: expected }) => {
    expect(verdict(counts, how).good).toBe(expected);
  });

  it("has a summary of one line", () => {
    expect(verdict({ passed: 3, failed: 1, skipped: 2 }, run).line).toBe("3 passed, 1 failed, 2 skipped");
  });
});
