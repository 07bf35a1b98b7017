export { startDaemon } from "./daemon.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { ownerToken } from "./auth/owner-token.ts";
export {
  addNamedToken,
  findNamedToken,
  readNamedTokens,
  replaceNamedToken,
  deleteNamedToken,
} from "./auth/named-tokens.ts";
export type { NamedToken } from "./auth/named-tokens.ts";
export { readPidFile } from "./lifecycle/pid-file.ts";
