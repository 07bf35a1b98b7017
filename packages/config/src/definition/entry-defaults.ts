/**
 * The defaults of the keys that every server can have. An entry that is shown to people omits values that equal them.
 */
import { entryRows } from "@plugboard/contracts";
import type { CamelCase, EntryKeys, KeysWith } from "@plugboard/contracts";
import { toCamelCase } from "../lib/key-case.ts";
import type { DefinitionValue } from "./definition.ts";

/** Leaves out a key with `for`, because only some servers can have it, such as those with the transport `stdio`. */
type KeyWithDefault = Exclude<KeysWith<{ readonly default: unknown }>, KeysWith<{ readonly for: string }>>;

type EntryDefaults = { readonly [Key in KeyWithDefault as CamelCase<Key>]: DefinitionValue<EntryKeys[Key]> };

export const ENTRY_DEFAULTS = Object.fromEntries(
  entryRows().flatMap(([key, row]) =>
    row.default === undefined || row.for !== undefined ? [] : [[toCamelCase(key), row.default] as const],
  ),
) as EntryDefaults;
