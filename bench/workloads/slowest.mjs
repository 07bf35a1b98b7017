// @ts-check
/** Measures the p99 time of calls, one after another, in ms. */
import { quantile } from "../stats.mjs";
import { timedCalls } from "./timed-calls.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, { calls = 1 }) {
  const { times, end } = timedCalls(await connect());
  return { round: async () => quantile(await times(calls), 0.99), end };
}
