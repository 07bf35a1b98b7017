import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { BENCHMARKS, chosenBenchmarks } from "../benchmarks.mjs";
import { CONTESTANTS } from "../contestants/index.mjs";
import { measure } from "../measure.mjs";
import { checkText, checkTools } from "../workloads/workload.mjs";

/** A benchmark starts several programs, which is slow on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * Leaves out the benchmarks with 30 servers, those of the page, which `page.test.ts` runs with fewer servers, and all
 * peers, because peers need a separate install.
 */
const tried = BENCHMARKS.filter(({ name }) => !/connect-30$|^page-/.test(name)).map((benchmark) => ({
  ...benchmark,
  contestants: benchmark.contestants.filter((name) => CONTESTANTS[name]?.role !== "peer"),
  warmups: 0,
}));

it.each(tried)("the benchmark $name runs", { timeout: TIMEOUT_MS }, async (benchmark) => {
  const measured = await measure(benchmark, { seed: 1, rounds: 1 });
  expect(measured.map(({ contestant }) => contestant)).toEqual(benchmark.contestants);
  for (const { samples } of measured) {
    expect(samples).toHaveLength(1);
    expect(samples[0]).toBeGreaterThan(0);
  }
});

it("every program in starts/ exists", () => {
  for (const { contestants, settings } of BENCHMARKS) {
    const { starts } = settings;
    if (starts === undefined) continue;
    for (const name of contestants)
      expect(existsSync(new URL(`../starts/${starts}/${name}.mjs`, import.meta.url))).toBe(true);
  }
});

it("a wrong response ends the benchmark", () => {
  const right = { content: [{ type: "text", text: "call 1" }] };
  expect(() => checkText(right, "call 1")).not.toThrow();
  expect(() => checkText(right, "call 2")).toThrow("a wrong answer");
  expect(() => checkText({ type: "failed" }, "call 1")).toThrow("a wrong answer");
  const client = { tools: [{ name: "echo" }], call: async () => right, close: async () => {} };
  expect(() => checkTools(client)).toThrow("wrong tools: echo");
});

it.each([
  [["http"], ["http"]],
  [["page"], ["page-script", "page-interactive", "page-search"]],
  [
    ["gateway", "import"],
    ["import", "gateway-1", "gateway-16", "gateway-64", "gateway-memory", "gateway-processes"],
  ],
  [["pag", "script"], []],
])("%j chooses the benchmarks %j", (names, expected) => {
  expect(chosenBenchmarks(names).map(({ name }) => name)).toEqual(expected);
});
