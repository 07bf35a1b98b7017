// @ts-check
/** Our engine as what the host's own work is measured against. */
export { connectStdio } from "./plugboard.mjs";
