/** Starts the running host, and finds its process. */
export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { readPidFile } from "./lifecycle/pid-file.ts";
