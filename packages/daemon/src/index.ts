export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { ownerToken } from "./bearer-auth.ts";
export { DEFAULT_PORT } from "./lifecycle/gateway-port.ts";
export { readPidFile } from "./lifecycle/pid-file.ts";
