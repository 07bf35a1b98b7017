// @ts-check
/**
 * Runs one benchmark. In every round, all contestants run one after another, in a random order. A peer that fails
 * takes part no longer, and is reported as failed. A failure of the baseline or of Plugboard ends the benchmark.
 */
import { join } from "node:path";
import { entrants } from "./entrants.mjs";
import { FreshRunner, RunnerProcess } from "./runner-process.mjs";
import { seeded, shuffled } from "./stats.mjs";

/**
 * @typedef {object} Measured
 * @property {string} contestant
 * @property {string} title
 * @property {"baseline" | "ours" | "peer"} role
 * @property {string} [version]
 * @property {string} node
 * @property {number[]} samples one for each round
 * @property {string} [failed]
 *
 * @typedef {Measured & { runner: import("./runner-process.mjs").Runner }} Running
 */

/**
 * @param {import("./benchmarks.mjs").Benchmark} benchmark
 * @param {{ seed: number, rounds: number, profileDir?: string, checkouts?: readonly string[] }} options
 * @returns {Promise<Measured[]>}
 */
export async function measure(benchmark, { seed, rounds, profileDir, checkouts }) {
  const random = seeded(seed);
  const running = entrants(benchmark, checkouts).map((entrant) => start(benchmark, entrant, profileDir));
  try {
    for (const one of running) await attempt(one, () => one.runner.begin());
    for (let round = -benchmark.warmups; round < rounds; round++) {
      if (round === 0) for (const one of running) await attempt(one, () => one.runner.warm());
      for (const one of shuffled(running, random)) {
        await attempt(one, async () => {
          const value = await one.runner.round();
          if (round >= 0) one.samples.push(round3(value));
        });
      }
    }
    for (const one of running) await attempt(one, () => one.runner.end());
  } finally {
    await Promise.all(running.map(({ runner }) => runner.kill()));
  }
  return running.map(({ runner: _runner, ...measured }) => measured);
}

/**
 * @param {import("./benchmarks.mjs").Benchmark} benchmark
 * @param {import("./entrants.mjs").Entrant} entrant
 * @param {string | undefined} profileDir
 * @returns {Running}
 */
function start({ name, fresh }, { node, checkout, ...entrant }, profileDir) {
  const { contestant, role } = entrant;
  const profiled = profileDir && role !== "peer" && node.path === process.execPath;
  const profile = profiled && { profileFile: join(profileDir, `${name}-${contestant}.cpuprofile`) };
  const spec = {
    ...{ benchmark: name, contestant, node: node.path, serverNode: process.execPath, ...profile },
    ...(checkout !== undefined && { checkout }),
  };
  return {
    ...entrant,
    node: node.version,
    samples: [],
    runner: fresh ? new FreshRunner(spec) : new RunnerProcess(spec),
  };
}

/**
 * @param {Running} one
 * @param {() => Promise<unknown>} act
 */
async function attempt(one, act) {
  if (one.failed !== undefined) return;
  try {
    await act();
  } catch (error) {
    const [what = ""] = /** @type {Error} */ (error).message.split("\n", 1);
    if (one.role !== "peer") throw new Error(`${one.title} on Node ${one.node} failed: ${what}`, { cause: error });
    one.failed = what;
    await one.runner.kill();
  }
}

/** @param {number} value */
function round3(value) {
  return Math.round(value * 1000) / 1000;
}
