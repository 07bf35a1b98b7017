// @ts-check
/** Plugboard's engine, as the baseline of the benchmarks that measure what the host adds. */
export { connectObject, connectStdio } from "./plugboard.mjs";
