/** The row of a key in the table of `entry-keys.ts`, and the types of entries and definitions that follow from it. */
import type { AuthEntry } from "./auth-keys.ts";
import type { EntryValue, ToolFilterEntry, TransportName } from "./server-entry.ts";
import type { SandboxSetting } from "./server-target.ts";

/** The types of values in a server's entry, with the TypeScript type of each. `packages/config` validates them. */
export interface EntryValueTypes {
  readonly transport: TransportName;
  readonly auth: AuthEntry;
  readonly tool_filter: ToolFilterEntry;
  readonly boolean: boolean;
  /** A whole number of milliseconds above 0. */
  readonly duration: number;
  /** A whole number of milliseconds. 0 means never. */
  readonly duration_or_never: number;
  /** A whole number of bytes. */
  readonly size: number;
  /** One of the words of the row. */
  readonly word: string;
  /** A string in which `${NAME}` is expanded. */
  readonly text: string;
  /** As `text`, but not empty. */
  readonly filled_text: string;
  /** A name that is not expanded. */
  readonly name: string;
  /** The name of an account. */
  readonly account: string;
  readonly values: readonly EntryValue[];
  readonly value_map: { readonly [name: string]: EntryValue };
  /** True, false or a list of folders. */
  readonly roots: boolean | readonly string[];
  readonly sandbox: SandboxSetting | false;
}

export interface EntryRow {
  readonly type: keyof EntryValueTypes;
  /** The accepted words of the type `word`. */
  readonly words?: readonly string[];
  /** The servers that can have the key. By default all. */
  readonly for?: "stdio" | "url" | "proxy" | "sdk";
  readonly required?: true;
  /** The value in the definition of an entry without the key. */
  readonly default?: unknown;
  /** Says what applies without the key, for `docs/config.md`. By default `default`. */
  readonly defaultText?: string;
  /**
   * Whether an approval of the server ends if the value changes. False only for keys that say when the server runs and
   * how long it may take.
   */
  readonly hashed: boolean;
  /**
   * How a change in the config is applied to a running server. `live`: at once, and the connection stays open.
   * `restart`: the server is stopped, after its running calls, and started again.
   */
  readonly change: "live" | "restart";
  /** For live keys of a connection: which value applies if workspaces that share the connection have different ones. */
  readonly combine?: CombineRule;
  /** One line, for editors and `docs/config.md`. */
  readonly description: string;
  /** More for `docs/config.md`, as Markdown. */
  readonly details?: string;
  /** Other spellings in snake_case, and how their values are read. */
  readonly aliases?: { readonly [spelling: string]: KeyAlias };
  /** The option of `plugboard add`, such as `--request-timeout-ms`. */
  readonly flag?: { readonly label: string; readonly about: string };
  /** The field on the page. */
  readonly field?: { readonly label: string; readonly hint: string };
}

export type CombineRule =
  /**
   * The longest time applies. 0 means never, so it is the longest. An absent value counts as `absent`, or does not
   * count without it.
   */
  | { readonly by: "longest"; readonly absent?: number }
  /** This word applies if one workspace has it. */
  | { readonly wins: string };

export type KeyAlias =
  /** The same value under another name. */
  | "same"
  /** Seconds instead of milliseconds. */
  | "seconds"
  /** A boolean with the opposite meaning. */
  | "opposite"
  /** The value of one member of the key. */
  | { readonly member: string }
  /** The same value, to which these members are added. */
  | { readonly implies: { readonly [member: string]: string } };

/** The type of a row's value: one of its words, or the type that `Types` has for its `type`. */
export type ValueOf<
  Row extends EntryRow,
  Types extends { readonly [Type in keyof EntryValueTypes]: unknown } = EntryValueTypes,
> = Row extends {
  readonly words: readonly (infer Word)[];
}
  ? Word
  : Types[Row["type"]];

/** `max_timeout_ms` → `maxTimeoutMs` */
export type CamelCase<Key extends string> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Key;
