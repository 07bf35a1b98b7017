// @ts-check
/**
 * What is measured, and what is aimed at: the figure of a contestant divided by the baseline's, both of the same round
 * and on the same Node. Rounds are short and many, since what else the machine does changes from second to second.
 */
import { ENGINES } from "./contestants/index.mjs";

/**
 * @typedef {object} Benchmark
 * @property {string} name
 * @property {string} title
 * @property {string} unit of what a round measures
 * @property {import("./stats.mjs").Target} target of ours, as a ratio to the baseline
 * @property {readonly string[]} contestants the baseline first, then ours
 * @property {string} workload the module in workloads/
 * @property {Settings} settings
 * @property {boolean} [fresh] every round is the first of a new process, in which only the library has been loaded
 * @property {number} rounds
 * @property {number} warmups rounds that do not count
 *
 * @typedef {object} Settings
 * @property {"stdio" | "http"} transport
 * @property {number} [calls] in a round
 * @property {number} [inFlight] of them at once
 * @property {number} [bytes] of a result
 * @property {number} [servers] connected at once
 */

const CONNECTING = ["raw", "plugboard", "plugboard-era-known", ...ENGINES.slice(2)];

/** @type {readonly Benchmark[]} */
export const BENCHMARKS = [
  {
    name: "stdio-sequential",
    title: "A call over stdio, one after another",
    unit: "µs at p50",
    target: { limit: 1.15, better: "lower" },
    contestants: ENGINES,
    workload: "sequential",
    settings: { transport: "stdio", calls: 400 },
    rounds: 61,
    warmups: 6,
  },
  {
    name: "stdio-64",
    title: "Calls over stdio, 64 in flight",
    unit: "calls/s",
    target: { limit: 0.9, better: "higher" },
    contestants: ENGINES,
    workload: "parallel",
    settings: { transport: "stdio", calls: 2000, inFlight: 64 },
    rounds: 41,
    warmups: 4,
  },
  {
    name: "stdio-cpu",
    title: "CPU of a call over stdio, 64 in flight",
    unit: "µs",
    target: { limit: 1.3, better: "lower" },
    contestants: ENGINES,
    workload: "cpu",
    settings: { transport: "stdio", calls: 2000, inFlight: 64 },
    rounds: 41,
    warmups: 4,
  },
  {
    name: "http",
    title: "A call over HTTP, one after another",
    unit: "µs at p50",
    target: { limit: 1.2, better: "lower" },
    contestants: ENGINES,
    workload: "sequential",
    settings: { transport: "http", calls: 150 },
    rounds: 41,
    warmups: 6,
  },
  {
    name: "stdio-10mib",
    title: "A result of 10 MiB over stdio",
    unit: "ms",
    target: { limit: 1.25, better: "lower" },
    contestants: ENGINES,
    workload: "large",
    settings: { transport: "stdio", calls: 1, bytes: 10 * 1024 * 1024 },
    rounds: 31,
    warmups: 3,
  },
  {
    name: "connect-1",
    title: "The first thing a process does: connect a server, until its tools are listed",
    unit: "ms",
    target: { limit: 1.3, better: "lower" },
    contestants: CONNECTING,
    workload: "connect",
    settings: { transport: "stdio", servers: 1 },
    fresh: true,
    rounds: 31,
    warmups: 1,
  },
  {
    name: "connect-30",
    title: "The first thing a process does: connect 30 servers at once, until all tools are listed",
    unit: "ms",
    target: { limit: 1.15, better: "lower" },
    contestants: CONNECTING,
    workload: "connect",
    settings: { transport: "stdio", servers: 30 },
    fresh: true,
    rounds: 15,
    warmups: 1,
  },
];
