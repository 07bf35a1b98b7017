/**
 * A server's entry after validation, with all defaults. References such as `${NAME}` are not expanded yet, and secrets
 * are not fetched yet.
 */
import type {
  CamelCase,
  ConfigSource,
  EntryKey,
  EntryKeys,
  EntryRow,
  EntryValue,
  EntryValueTypes,
  KeysWith,
  ValueOf,
} from "@plugboard/contracts";

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

/** The keys for one target, or without a target those that every server can have. `auth` is always set. */
type KeysFor<For> = Exclude<
  For extends Target ? KeysWith<{ readonly for: For }> : Exclude<EntryKey, KeysWith<{ readonly for: Target }>>,
  "transport"
>;
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
  readonly transport: "http" | "sse" | "websocket";
}

interface ProxyDefinition extends Fields<"all">, Fields<"url">, Fields<"proxy"> {
  readonly transport: "claudeai-proxy";
}

interface SdkDefinition extends Fields<"all">, Fields<"sdk"> {
  readonly transport: "sdk";
}

export type ServerDefinition = StdioDefinition | UrlDefinition | ProxyDefinition | SdkDefinition;

/** How to log in. `Value` is an entry value as written, or a resolved string. */
export type Auth<Value> =
  | { readonly type: "none" }
  | { readonly type: "api_key"; readonly headerName: Value; readonly apiKey: Value }
  | { readonly type: "token_file"; readonly tokenPath: Value }
  | {
      readonly type: "oauth";
      readonly authorizationUrl?: Value;
      readonly tokenUrl?: Value;
      readonly registrationUrl?: Value;
      readonly clientId?: Value;
      readonly clientSecret?: Value;
      readonly scope?: Value;
      readonly clientMetadataUrl?: Value;
      readonly callbackPort?: number;
    }
  | {
      readonly type: "client_credentials";
      readonly tokenUrl?: Value;
      readonly clientId: Value;
      /** Either this or one of the files is set. */
      readonly clientSecret?: Value;
      readonly privateKeyFile?: Value;
      /** A file with a JWT that another program has signed. */
      readonly assertionFile?: Value;
      readonly scope?: Value;
    }
  | {
      readonly type: "enterprise";
      readonly tokenUrl?: Value;
      readonly clientId: Value;
      readonly clientSecret?: Value;
      readonly idpTokenUrl: Value;
      readonly idpClientId: Value;
      readonly idpClientSecret?: Value;
      /** A file with the ID token of the user's login at the identity provider. */
      readonly idTokenFile: Value;
      readonly scope?: Value;
    };

/** The keys of `Auth` that name a file. */
export const AUTH_FILE_KEYS: ReadonlySet<string> = new Set([
  "tokenPath",
  "privateKeyFile",
  "assertionFile",
  "idTokenFile",
]);

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
}
