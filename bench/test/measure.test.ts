import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BENCHMARKS, chosenBenchmarks } from "../benchmarks.mjs";
import { CONTESTANTS } from "../contestants/index.mjs";
import { measure } from "../measure.mjs";
import { root } from "../../scripts/run.mjs";
import * as idleCpu from "../workloads/idle-cpu.mjs";
import { checkText, checkTools } from "../workloads/workload.mjs";

const fail = () => Promise.reject(new Error("this contestant connects by itself"));

/** A benchmark starts several programs, which is slow on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * The benchmarks that run here. Benchmarks with 30 servers are left out, and those of the page, which `page.test.ts`
 * runs with fewer servers. The benchmark of an idle host is tested below, because its round takes a minute. Peers do
 * not take part, because they need a separate install.
 */
const tried = BENCHMARKS.filter(({ name }) => !/connect-30$|^page-|^host-idle-cpu$/.test(name)).map((benchmark) => ({
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

it("the benchmark host-idle-cpu runs", { timeout: TIMEOUT_MS }, async () => {
  const entry = { contestant: "plugboard-gateway", serverNode: process.execPath, connect: fail, connectAll: fail };
  const { round, end } = await idleCpu.begin(entry, { servers: 3, idleMs: 1 });
  expect(await round()).toBeGreaterThanOrEqual(0);
  await end();
});

it("a benchmark also measures the Plugboard of another checkout", { timeout: TIMEOUT_MS }, async () => {
  // The folder is below this checkout, so that git finds a commit there.
  const other = mkdtempSync(join(root, "node_modules", ".plugboard-bench-"));
  onTestFinished(() => rmSync(other, { recursive: true }));
  const host = join(other, "node_modules", "@plugboard", "host");
  mkdirSync(host, { recursive: true });
  writeFileSync(join(host, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  writeFileSync(
    join(host, "index.js"),
    `export const createHost = () => { throw new Error("this is the other host"); };`,
  );
  const [benchmark] = tried.filter(({ name }) => name === "host-stdio-64");
  const measured = await measure(benchmark!, { seed: 1, rounds: 1, checkouts: [other] });
  expect(measured).toMatchObject([
    { contestant: "raw", role: "baseline" },
    { contestant: "plugboard-host", role: "ours" },
    { contestant: "plugboard-host", role: "peer", failed: "this is the other host" },
  ]);
  expect(measured[2]?.version).toMatch(/^[0-9a-f]{7,}$/);
});

it("every program in starts/ that a benchmark names exists", () => {
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
])("the arguments %j choose the benchmarks %j", (names, expected) => {
  expect(chosenBenchmarks(names).map(({ name }) => name)).toEqual(expected);
});
