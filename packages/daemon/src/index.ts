export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { clientTokenName, findClientToken, revokeClientToken } from "./auth/client-token.ts";
export { ownerToken } from "./auth/owner-token.ts";
export { addNamedToken, readNamedTokens, replaceNamedToken, deleteNamedToken } from "./auth/named-tokens.ts";
export type { NamedToken } from "./auth/named-tokens.ts";
export { readPidFile } from "./lifecycle/pid-file.ts";
