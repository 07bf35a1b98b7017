/** The parts of the host that commands use to show and change config files. They may change in any version. */
export { findPlainSecrets } from "./clients/entry/find-plain-secrets.ts";
export type { ConfiguredServer } from "./config/definition/definition.ts";
export { configSchema } from "./config/entry/config-schema.ts";
export { requireScopeFiles } from "./config/files/find-scope-files.ts";
export type { ConfigScope, ScopeFiles } from "./config/files/find-scope-files.ts";
export { configureEntry } from "./config/inspect/configure-entry.ts";
export { exists, filesWithEntry, inspectConfig, inspectFile, problemsOf } from "./config/inspect/inspect-config.ts";
export type { InspectedFile } from "./config/inspect/inspect-config.ts";
export { locateServer } from "./config/inspect/locate-server.ts";
export { parseEntryJson } from "./config/inspect/parse-entry-json.ts";
export { createConfigFile } from "./config/edit/create-config-file.ts";
export { editConfig } from "./config/edit/edit-config.ts";
export type { Profile } from "./config/read/read-profiles.ts";
export type { Effect } from "./policy/rule.ts";
export { describeConfigured } from "./redaction/describe-configured.ts";
export type { DescribedDefinition } from "./redaction/describe-configured.ts";
export { readStaticConfig } from "./read-static-config.ts";
export { trustDefinition } from "./trust-definition.ts";
