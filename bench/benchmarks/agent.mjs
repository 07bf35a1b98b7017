// @ts-check
/** Benchmarks of the agent's loop, with the real SDK of a provider and without a network. */

const SHARED = {
  unit: "ms at p50",
  target: /** @type {const} */ ({ of: "value", limit: 1, better: "lower" }),
  contestants: ["plugboard-agent"],
  workload: "agent-steps",
  rounds: 31,
  warmups: 3,
};

/** @type {readonly import("../benchmarks.mjs").Benchmark[]} */
export const AGENT_BENCHMARKS = [
  {
    ...SHARED,
    name: "agent-call",
    title: "From the end of the model's answer to the tool call",
    settings: { calls: 40, tools: 20, until: "call" },
  },
  {
    ...SHARED,
    name: "agent-request",
    title: "From the result of a tool to the next request to the model",
    settings: { calls: 40, tools: 20, until: "request" },
  },
];
