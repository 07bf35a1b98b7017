/** The options of `plugboard add` that set a key of the entry. The table of keys says which keys have an option. */
import { entryRows, parseSandboxWord, SANDBOX_WORDS } from "@plugboard/contracts";
import type { CamelCase, EntryKeys, EntryRow, KeysWith, ServerEntry } from "@plugboard/contracts";
import { oneOf, value, wholeNumber } from "./command-spec.ts";
import type { OptionSpec } from "./command-spec.ts";

/** The keys that have an option. */
type FlagKey = KeysWith<{ readonly flag: object }>;

/** The type of an option's value, by the type of its key. */
type FlagValue<Row extends EntryRow> = Row["type"] extends "duration" | "duration_or_never" | "size"
  ? number
  : Row["type"] extends "sandbox"
    ? (typeof SANDBOX_WORDS)[number]
    : Row["type"] extends "boolean" | "roots"
      ? "true" | "false"
      : string;

/** The parsed options. */
export type KeyFlags = { readonly [Key in FlagKey as CamelCase<Key>]: FlagValue<EntryKeys[Key]> | undefined };

type KeyOptions = { readonly [Option in keyof KeyFlags]: OptionSpec<KeyFlags[Option]> };

export function keyOptions(): KeyOptions {
  return Object.fromEntries(flagRows().map(({ option, row }) => [option, optionFor(row)])) as KeyOptions;
}

/** Returns the keys that the options set. Leaves out a boolean that is the default anyway. */
export function settingsFromFlags(flags: KeyFlags): ServerEntry {
  const settings = flagRows().flatMap(({ key, option, row }) => {
    const flag = flags[option];
    const isBoolean = row.type === "boolean" || row.type === "roots";
    const setting =
      isBoolean && flag !== undefined
        ? flag === "true"
        : row.type === "sandbox" && flag !== undefined
          ? parseSandboxWord(String(flag))
          : flag;
    return setting === undefined || (isBoolean && setting === row.default) ? [] : [[key, setting] as const];
  });
  return Object.fromEntries(settings);
}

function flagRows() {
  return entryRows().flatMap(([key, row]) => (row.flag ? [{ key, option: toOption(key), row }] : []));
}

/** `request_timeout_ms` → `requestTimeoutMs`, which is written `--request-timeout-ms`. */
function toOption(key: string): keyof KeyFlags {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof KeyFlags;
}

function optionFor({ type, words, flag }: EntryRow): OptionSpec {
  const { label, about } = flag!;
  if (type === "duration") return wholeNumber(label, about, { min: 1, max: 2 ** 31 - 1 });
  // 0 means never.
  if (type === "duration_or_never") return wholeNumber(label, about, { max: 2 ** 31 - 1 });
  if (type === "size") return wholeNumber(label, about, { min: 1024 });
  if (type === "boolean" || type === "roots") return oneOf(["true", "false"], about);
  if (type === "sandbox") return oneOf(SANDBOX_WORDS, about, { label, bare: "true" });
  if (words) return oneOf(words, about);
  return value(label, about, label === "folder" ? { completes: "folder" } : {});
}
