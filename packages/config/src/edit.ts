/** Editing and inspecting config files. */
export { entryIn } from "./edit/apply-change.ts";
export type { ConfigChange } from "./edit/apply-change.ts";
export { createConfigFile } from "./edit/create-config-file.ts";
export { editConfig } from "./edit/edit-config.ts";
export type { ConfigEdit } from "./edit/edit-config.ts";
export { configureEntry } from "./inspect/configure-entry.ts";
export { exists, filesWithEntry, inspectConfig, inspectFile, problemsOf } from "./inspect/inspect-config.ts";
export type { InspectedFile } from "./inspect/inspect-config.ts";
export { locateServer } from "./inspect/locate-server.ts";
export { parseEntryJson } from "./inspect/parse-entry-json.ts";
export { configSchema } from "./entry/config-schema.ts";
