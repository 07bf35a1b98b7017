// @ts-check
/**
 * npm run bench -- [name…] [--check] [--profile] [--rounds n] [--seed n] [--beside folder]
 *
 * Runs the benchmarks, and writes the samples to results/ and the tables to RESULTS.md. A name is the name of a
 * benchmark, or the first part of several names: `page` stands for `page-script`, `page-search` and so on.
 *
 * --check writes nothing, and fails if a figure of Plugboard is more than 10 % worse than the best one ever committed.
 * --profile writes CPU profiles of the baseline and Plugboard to profiles/, but no results, because profiling slows the
 * contestants down. --beside also measures the Plugboard of another checkout, which must have been built.
 */
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCHMARKS, chosenBenchmarks } from "./benchmarks.mjs";
import { folder, install } from "./install.mjs";
import { objections, regressions } from "./judge.mjs";
import { measure } from "./measure.mjs";
import { summarise } from "./profile.mjs";
import { table } from "./report.mjs";
import { circumstances, committed, keep } from "./results.mjs";
import { prepare } from "../scripts/build/prepare.mjs";

/** Results of fewer rounds are not stored. */
const FEWEST_ROUNDS = 15;

/** Above this load, a warning is printed, because load affects some contestants more than others. */
const BUSY = 1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    beside: { type: "string", multiple: true, default: [] },
    check: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    rounds: { type: "string" },
    seed: { type: "string" },
  },
});

const chosen = chosenBenchmarks(positionals);
const unknown = positionals.filter((name) => chosenBenchmarks([name]).length === 0);
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(", ")}; there are: ${BENCHMARKS.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
} else {
  process.exitCode = (await prepare()) || install() || (await run());
}

async function run() {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  console.log(`seed ${seed}\n`);
  const [load = 0] = loadavg();
  if (load > BUSY)
    console.log(`The machine is busy (load ${load.toFixed(1)}), so the results may be wrong. See bench/README.md.\n`);
  const complaints = [];
  for (const benchmark of chosen) complaints.push(...(await runOne(benchmark, seed)));
  for (const complaint of complaints) console.error(complaint);
  return complaints.length > 0 ? 1 : 0;
}

/**
 * @param {import("./benchmarks.mjs").Benchmark} benchmark
 * @param {number} seed
 */
async function runOne(benchmark, seed) {
  const { name, title, unit, target } = benchmark;
  const { beside: checkouts, check, profile } = values;
  const rounds = values.rounds === undefined ? benchmark.rounds : Number(values.rounds);
  const profileDir = profile ? join(folder, "profiles") : undefined;
  if (profileDir) mkdirSync(profileDir, { recursive: true });
  const contestants = await measure(benchmark, { seed, rounds, checkouts, ...(profileDir && { profileDir }) });
  const result = { name, title, unit, target, ...circumstances(), seed, contestants };
  console.log(`${table(result)}\n`);
  if (profileDir) {
    console.log(`${summarise(profileDir, name)}\n`);
    return [];
  }
  const invalid = objections(result);
  if (check) return [...invalid, ...regressions(result, committed(name))];
  if (invalid.length === 0 && rounds >= FEWEST_ROUNDS) keep(result);
  else console.log("not stored\n");
  return invalid;
}
