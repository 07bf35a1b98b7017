// @ts-check
/**
 * Defines the benchmarks and their targets. A target limits the ratio of a contestant's figure to the baseline's, the
 * difference between the two, or the figure itself. Figures are compared only within one round and on one version of
 * Node. There are many short rounds, because other load on the machine changes from second to second.
 */
import { AGENT_BENCHMARKS } from "./benchmarks/agent.mjs";
import { COMMAND_BENCHMARKS } from "./benchmarks/command.mjs";
import { ENGINE_BENCHMARKS } from "./benchmarks/engine.mjs";
import { GATEWAY_BENCHMARKS } from "./benchmarks/gateway.mjs";
import { HOST_BENCHMARKS } from "./benchmarks/host.mjs";
import { PAGE_BENCHMARKS } from "./benchmarks/page.mjs";
import { PROGRAM_BENCHMARKS } from "./benchmarks/program.mjs";

/**
 * @typedef {object} Benchmark
 * @property {string} name
 * @property {string} title
 * @property {string} unit of a sample
 * @property {import("./stats.mjs").Target} target for Plugboard
 * @property {readonly string[]} contestants the baseline first, if there is one, then Plugboard
 * @property {string} workload the module in workloads/
 * @property {Settings} settings
 * @property {boolean} [fresh] every round runs in a new process, in which only the library has been loaded
 * @property {number} rounds
 * @property {number} warmups rounds that do not count
 *
 * @typedef {object} Settings
 * @property {"stdio" | "http" | "object"} [transport] how a contestant connects; undefined if a separate program does the work
 * @property {number} [calls] in a round
 * @property {number} [inFlight] how many calls run at once
 * @property {number} [bytes] of a result
 * @property {number} [servers] connected at once
 * @property {number} [clients] of a gateway
 * @property {number} [idleMs] the least duration of a round
 * @property {"servers"} [counts] what is counted instead of measured
 * @property {number} [tools] of a server, or of an agent
 * @property {"script" | "interactive" | "search"} [measures] what is measured of a page
 * @property {"call" | "request"} [until] where the measured time of an agent's step ends: at the tool call, or at the next
 *   request to the model
 * @property {import("./commands/tasks.mjs").TaskName} [task] what a command does
 * @property {string} [starts] the folder in starts/ that holds a program for each contestant
 */

/** @type {readonly Benchmark[]} */
export const BENCHMARKS = [
  ...ENGINE_BENCHMARKS,
  ...HOST_BENCHMARKS,
  ...PROGRAM_BENCHMARKS,
  ...COMMAND_BENCHMARKS,
  ...GATEWAY_BENCHMARKS,
  ...AGENT_BENCHMARKS,
  ...PAGE_BENCHMARKS,
];

/**
 * Returns the benchmarks with these names, or all without a name. A name that no benchmark has stands for all
 * benchmarks whose names begin with it and a hyphen: `page` for `page-script`, `page-search` and so on.
 * @param {readonly string[]} names
 * @returns {readonly Benchmark[]}
 */
export function chosenBenchmarks(names) {
  if (names.length === 0) return BENCHMARKS;
  const groups = names.filter((name) => BENCHMARKS.every((benchmark) => benchmark.name !== name));
  return BENCHMARKS.filter(({ name }) => names.includes(name) || groups.some((group) => name.startsWith(`${group}-`)));
}
