// @ts-check
/** Measures the median time of calls, one after another, in µs. */
import { median } from "../stats.mjs";
import { timedCalls } from "./timed-calls.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, { calls = 1 }) {
  const { times, end } = timedCalls(await connect());
  return { round: async () => median(await times(calls)) * 1000, end };
}
