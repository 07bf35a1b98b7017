export { Processes } from "./processes.ts";
export { LAST_WORDS_MS } from "./server-process.ts";
export type { ProcessSpec, ServerProcess } from "./server-process.ts";
export { spawnDetached } from "./spawn-detached.ts";
