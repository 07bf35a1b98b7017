/**
 * A server's entry after validation, with all defaults. References such as `${NAME}` are not expanded yet, and secrets
 * are not fetched yet.
 */
import { authRows } from "@plugboard/contracts";
import type {
  AuthKey,
  AuthKeys,
  AuthKeysOf,
  AuthType,
  AuthValue,
  CamelCase,
  ConfigSource,
  EntryKey,
  EntryKeys,
  EntryRow,
  EntryValue,
  EntryValueTypes,
  KeysWith,
  SandboxAccess,
  SandboxPolicy,
  ValueOf,
  UrlTransport,
} from "@plugboard/contracts";
import { toCamelCase } from "../lib/key-case.ts";

/** The type of a key's value in a definition. */
export type DefinitionValue<Row extends EntryRow> = ValueOf<Row, DefinitionValueTypes>;

interface DefinitionValueTypes extends Omit<EntryValueTypes, "auth" | "tool_filter"> {
  readonly auth: Auth<EntryValue>;
  readonly tool_filter: ToolFilter;
}

/** Patterns of tool names. A tool is used if it matches `include` and does not match `exclude`. */
interface ToolFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type Target = "stdio" | "url" | "proxy" | "sdk";

/** The keys for one target (see `for` in the table of keys). `all` stands for the keys that every server can have. */
type KeysFor<For> = Exclude<
  For extends Target ? KeysWith<{ readonly for: For }> : Exclude<EntryKey, KeysWith<{ readonly for: Target }>>,
  "transport"
>;
/** The keys that a definition always has. A missing `auth` becomes the type `none`. */
type SetKey = KeysWith<{ readonly default: unknown }> | KeysWith<{ readonly required: true }> | "auth";

/** The fields of a definition that the keys of an entry become. */
type Fields<For> = {
  readonly [Key in KeysFor<For> & SetKey as CamelCase<Key>]: DefinitionValue<EntryKeys[Key]>;
} & {
  readonly [Key in Exclude<KeysFor<For>, SetKey> as CamelCase<Key>]?: DefinitionValue<EntryKeys[Key]>;
};

interface StdioDefinition extends Fields<"all">, Fields<"stdio"> {
  readonly transport: "stdio";
}

interface UrlDefinition extends Fields<"all">, Fields<"url"> {
  readonly transport: UrlTransport;
}

interface ProxyDefinition extends Fields<"all">, Fields<"url">, Fields<"proxy"> {
  readonly transport: "claudeai-proxy";
}

interface SdkDefinition extends Fields<"all">, Fields<"sdk"> {
  readonly transport: "sdk";
}

export type ServerDefinition = StdioDefinition | UrlDefinition | ProxyDefinition | SdkDefinition;

/** The keys of `auth` that a definition always has, because they are required or have a default. */
type SetAuthKey<Type extends AuthType> =
  | AuthKeysOf<Type, "required">
  | (AuthKeysOf<Type, "optional"> & AuthKeyWith<{ readonly default: string }>);
type AuthKeyWith<Row> = { [Key in AuthKey]: AuthKeys[Key] extends Row ? Key : never }[AuthKey];

/** How to log in. `Value` is an entry value as written, or a resolved string. */
export type Auth<Value> = {
  [Type in AuthType]: { readonly type: Type } & {
    readonly [Key in SetAuthKey<Type> as CamelCase<Key>]: AuthValue<Key, Value>;
  } & {
    readonly [Key in Exclude<AuthKeysOf<Type, "optional">, SetAuthKey<Type>> as CamelCase<Key>]?: AuthValue<Key, Value>;
  };
}[AuthType];

/** The types of the keys of `Auth`. */
export const AUTH_KEY_TYPES: ReadonlyMap<string, AuthKeys[AuthKey]["type"]> = new Map(
  authRows().map(([key, { type }]) => [toCamelCase(key), type]),
);

/** A configured server of a workspace, with its definition or the reason why the definition is invalid. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: ConfigSource;
  /** The file that defines the server, or a label for a definition that is in no file. */
  readonly file: string;
  readonly definition: ServerDefinition | { readonly invalid: string };
  /** The base of relative paths, and the default working folder. */
  readonly folder: string;
  /** The project's file that enables a disabled server of a lower layer. Set only while the server waits for trust. */
  readonly enabledBy?: string;
  /** What its sandbox allows, after the merge of all layers. Absent without a sandbox. */
  readonly sandbox?: ConfiguredSandbox;
}

/** Its paths are absolute, unless it is `unresolved`. */
export interface ConfiguredSandbox extends SandboxAccess, Pick<SandboxPolicy, "limit"> {
  /** Why the server can't start: a path that can't be resolved. */
  readonly unresolved?: { readonly reason: string; readonly variable?: string };
}
