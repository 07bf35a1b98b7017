// @ts-check
/** Benchmarks of the page, in a real Chromium, with a host that has many servers. */

const SHARED = {
  workload: "page",
  rounds: 21,
  warmups: 2,
};
const LOAD = { servers: 500, tools: 20 };

/** @type {readonly import("../benchmarks.mjs").Benchmark[]} */
export const PAGE_BENCHMARKS = [
  {
    ...SHARED,
    name: "page-script",
    title: "JavaScript that the page loads before it is interactive, gzipped",
    unit: "kB",
    target: { of: "value", limit: 250, better: "lower" },
    contestants: ["plugboard-page"],
    settings: { ...LOAD, measures: "script" },
    rounds: 15,
    warmups: 0,
  },
  {
    ...SHARED,
    name: "page-interactive",
    title:
      "The page with 500 servers: from the start of the navigation until the list has been painted and has been filtered by a key press",
    unit: "ms",
    target: { of: "value", limit: 1000, better: "lower" },
    contestants: ["plain-page", "plugboard-page"],
    settings: { ...LOAD, measures: "interactive" },
  },
  {
    ...SHARED,
    name: "page-search",
    title:
      "Search in 10 000 tools on the page: from a key press until the result has been painted; the slowest key press of a word",
    unit: "ms",
    target: { of: "value", limit: 100, better: "lower" },
    contestants: ["plain-page", "plugboard-page"],
    settings: { ...LOAD, measures: "search" },
  },
];
