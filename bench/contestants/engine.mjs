// @ts-check
/** Our engine as what the host's own work is measured against. */
export { connectObject, connectStdio } from "./plugboard.mjs";
