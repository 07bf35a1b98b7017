import type { ConfigSource } from "@plugboard/contracts";

/** Completes "Defined …". */
export const SOURCE_TEXTS: { readonly [Source in ConfigSource]: string } = {
  managed: "by your administrator",
  user: "in your config",
  project: "by this project",
  local: "by you, for this project",
  invocation: "by the command that started Plugboard",
};
