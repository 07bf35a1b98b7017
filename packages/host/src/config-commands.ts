/** The parts of the host that commands use to show and change config files. They may change in any version. */
export { byPrecedence } from "./policy/policy.ts";
export { readStaticConfig } from "./offline/read-static-config.ts";
export { trustDefinition } from "./offline/trust-definition.ts";
export { diffJson } from "./lib/json-diff.ts";
export { pendingServer } from "./trust/pending-server.ts";
export { switchServer } from "./offline/switch-server.ts";
export type { EffectiveState, SwitchedServer } from "./offline/switch-server.ts";
export { storeTrust, throwIfInvalid, writeServer } from "./offline/write-server.ts";
export type { ConfigPlace, ServerToWrite, WrittenServer } from "./offline/write-server.ts";
