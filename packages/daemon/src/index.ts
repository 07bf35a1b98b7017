export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { ownerToken } from "./auth/owner-token.ts";
export { createToken, findToken, listTokens, renewToken, revokeToken } from "./auth/named-tokens.ts";
export type { NamedToken } from "./auth/named-tokens.ts";
export { readPidFile } from "./lifecycle/pid-file.ts";
