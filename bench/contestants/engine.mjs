// @ts-check
/** Plugboard's engine as the baseline for the work of the host. */
export { connectObject, connectStdio } from "./plugboard.mjs";
