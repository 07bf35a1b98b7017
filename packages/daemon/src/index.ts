export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { ownerToken } from "./bearer-auth.ts";
