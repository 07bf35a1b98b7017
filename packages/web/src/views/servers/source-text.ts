import type { ConfigSource } from "@plugboard/contracts";

/** Returns whether the page can edit and remove a definition of this source. */
export function isEditable(source: ConfigSource): boolean {
  return source === "user" || source === "project" || source === "local";
}

/** Completes "Defined …". */
export const SOURCE_TEXTS: { readonly [Source in ConfigSource]: string } = {
  managed: "by your administrator",
  user: "in your config",
  project: "by this project",
  local: "by you, for this project",
  invocation: "on the command line",
  claudeai: "at claude.ai",
};
