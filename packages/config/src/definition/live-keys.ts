/** The keys of a definition whose changes apply to an open connection, see `change` in the table of keys. */
import { entryRows } from "@plugboard/contracts";
import { toCamelCase } from "../lib/key-case.ts";

export const LIVE_KEYS: ReadonlySet<string> = new Set(
  entryRows().flatMap(([key, { change }]) => (change === "live" ? [toCamelCase(key)] : [])),
);
