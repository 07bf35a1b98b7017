// @ts-check
/**
 * Defines the benchmarks and their targets. A target is about the ratio of a contestant's figure to the baseline's, their
 * difference, or the figure itself, always of the same round and the same Node. There are many short rounds, because
 * other load on the machine changes from second to second.
 */
import { ENGINES } from "./contestants/index.mjs";

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
 * @property {number} [inFlight] of them at once
 * @property {number} [bytes] of a result
 * @property {number} [servers] connected at once
 * @property {number} [tools] of a server
 * @property {string} [starts] the folder in starts/ that holds a program for each contestant
 */

const CONNECTING = ["raw", "plugboard", "plugboard-era-known", ...ENGINES.slice(2)];

/** @type {readonly Benchmark[]} */
export const BENCHMARKS = [
  {
    name: "stdio-sequential",
    title: "Calls over stdio, one after another",
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
    title: "CPU time of a call over stdio, 64 in flight",
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
    title: "Calls over HTTP, one after another",
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
    title: "A new process connects to a server and lists its tools",
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
    title: "A new process connects to 30 servers at once and lists all tools",
    unit: "ms",
    target: { limit: 1.15, better: "lower" },
    contestants: CONNECTING,
    workload: "connect",
    settings: { transport: "stdio", servers: 30 },
    fresh: true,
    rounds: 15,
    warmups: 1,
  },
  {
    name: "host-pipeline",
    title:
      "Time that the host adds to a call (names, rules, schemas, events, journal); the server is in the same process",
    unit: "µs at p50",
    target: { of: "difference", limit: 20, better: "lower" },
    contestants: ["engine", "plugboard-host"],
    workload: "sequential",
    settings: { transport: "object", calls: 2000 },
    rounds: 61,
    warmups: 6,
  },
  {
    name: "host-pipeline-stdio",
    title:
      "Time that the host adds to a call over stdio, where waking the server's process takes longest and varies most",
    unit: "µs at p50",
    target: { of: "difference", limit: 20, better: "lower" },
    contestants: ["engine", "plugboard-host"],
    workload: "sequential",
    settings: { transport: "stdio", calls: 400 },
    rounds: 61,
    warmups: 6,
  },
  {
    name: "overhead-p99",
    title: "Time that the host adds to the slowest of 100 calls over stdio, in the worst of 100 rounds",
    unit: "ms at p99",
    target: { of: "difference", limit: 50, better: "lower", at: 0.99 },
    contestants: ["raw", "plugboard-host"],
    workload: "slowest",
    settings: { transport: "stdio", calls: 200 },
    rounds: 61,
    warmups: 6,
  },
  {
    name: "persistent",
    title: "Calls over one connection, compared with a new process for every call",
    unit: "calls/s",
    target: { limit: 5.3, better: "higher" },
    contestants: ["one-shot", "plugboard-host"],
    workload: "rate",
    settings: { transport: "stdio", calls: 5 },
    rounds: 31,
    warmups: 3,
  },
  {
    name: "connect-p95",
    title: "A new process creates a host, connects to a server and lists its tools",
    unit: "ms at p95",
    target: { of: "value", limit: 1000, better: "lower", at: 0.95 },
    contestants: ["plugboard-host"],
    workload: "connect",
    settings: { transport: "stdio", servers: 1 },
    fresh: true,
    rounds: 41,
    warmups: 1,
  },
  {
    name: "catalog-100x50",
    title: "Connecting to 100 servers in the process and listing their 5 000 tools by name",
    unit: "ms at p50",
    target: { of: "value", limit: 200, better: "lower" },
    contestants: ["plugboard-host"],
    workload: "catalog",
    settings: { servers: 100, tools: 50 },
    rounds: 31,
    warmups: 2,
  },
  {
    name: "search-5000",
    title: "A search over 5 000 tools",
    unit: "ms at p50",
    target: { of: "value", limit: 5, better: "lower" },
    contestants: ["plugboard-host"],
    workload: "search",
    settings: { servers: 100, tools: 50, calls: 20 },
    rounds: 31,
    warmups: 3,
  },
  {
    name: "import",
    title: "A program that imports the library and ends",
    unit: "ms",
    target: { limit: 2, better: "lower" },
    contestants: ["node", "plugboard-host", ...ENGINES.slice(2)],
    workload: "start",
    settings: { starts: "import" },
    rounds: 31,
    warmups: 2,
  },
  {
    name: "import-and-create",
    title: "A program that imports the library, creates and closes a host without servers, and ends",
    unit: "ms",
    target: { better: "lower" },
    contestants: ["node", "plugboard-host"],
    workload: "start",
    settings: { starts: "create" },
    rounds: 31,
    warmups: 2,
  },
  {
    name: "idle-memory",
    title: "Memory that the host needs for an idle server over stdio (mean of 30)",
    unit: "kB",
    target: { of: "value", better: "lower" },
    contestants: ["plugboard-host"],
    workload: "memory",
    settings: { starts: "idle", servers: 30 },
    rounds: 15,
    warmups: 0,
  },
  {
    name: "idle-memory-host",
    title: "Memory of a program whose host has no servers",
    unit: "MB",
    target: { of: "difference", better: "lower" },
    contestants: ["node", "plugboard-host"],
    workload: "memory",
    settings: { starts: "memory" },
    rounds: 15,
    warmups: 0,
  },
];
