// @ts-check
/** Benchmarks of programs that embed the host: their start and their memory. */
import { ENGINES } from "../contestants/index.mjs";

/** @type {readonly import("../benchmarks.mjs").Benchmark[]} */
export const PROGRAM_BENCHMARKS = [
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
