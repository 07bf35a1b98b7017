export { openUrl } from "./open-url.ts";
export type { OpenResult } from "./open-url.ts";
export { Processes } from "./processes.ts";
export { runOnce } from "./run-once.ts";
export type { RunResult, RunSpec } from "./run-once.ts";
export { LAST_WORDS_MS } from "./server-process.ts";
export type { ServerProcess } from "./server-process.ts";
export { spawnDetached } from "./spawn-detached.ts";
export type { ProcessSpec } from "./spawn-server.ts";
