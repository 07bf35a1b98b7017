/** The keys of a definition whose changes apply to an open connection, see `change` in the table of keys. */
import { entryRows } from "@plugboard/contracts";
import type { CombineRule } from "@plugboard/contracts";
import { toCamelCase } from "../lib/key-case.ts";

export const LIVE_KEYS: ReadonlySet<string> = new Set(
  entryRows().flatMap(([key, { change }]) => (change === "live" ? [toCamelCase(key)] : [])),
);

/** How the values of workspaces that share a connection are combined, by key. */
export const COMBINED_KEYS: ReadonlyMap<string, CombineRule> = new Map(
  entryRows().flatMap(([key, { combine }]) => (combine ? [[toCamelCase(key), combine]] : [])),
);
