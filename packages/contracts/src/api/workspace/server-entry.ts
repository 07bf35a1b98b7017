/** The types of values in a server's entry. `entry-keys.ts` has the keys. */

/** A string in which `${NAME}` is expanded, or a reference to a secret stored elsewhere. */
export type EntryValue = string | SecretReference;

export type SecretReference =
  | { readonly $secret: string }
  | { readonly $file: string }
  | { readonly $cmd: readonly string[] };

/** Patterns of the tool names to use. */
export interface ToolFilterEntry {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export type AuthEntry =
  | { readonly type: "none" }
  | { readonly type: "api_key"; readonly header_name?: EntryValue; readonly api_key: EntryValue }
  | { readonly type: "token_file"; readonly token_path: EntryValue }
  | {
      readonly type: "oauth";
      readonly authorization_url?: EntryValue;
      readonly token_url?: EntryValue;
      readonly registration_url?: EntryValue;
      readonly client_id?: EntryValue;
      readonly client_secret?: EntryValue;
      readonly scope?: EntryValue;
      readonly client_metadata_url?: EntryValue;
      readonly callback_port?: number;
    }
  | {
      readonly type: "client_credentials";
      readonly token_url?: EntryValue;
      readonly client_id: EntryValue;
      /** Exactly one of `client_secret`, `private_key_file` and `assertion_file` is required. */
      readonly client_secret?: EntryValue;
      readonly private_key_file?: EntryValue;
      readonly assertion_file?: EntryValue;
      readonly scope?: EntryValue;
    }
  | {
      readonly type: "enterprise";
      readonly token_url?: EntryValue;
      readonly client_id: EntryValue;
      readonly client_secret?: EntryValue;
      readonly idp_token_url: EntryValue;
      readonly idp_client_id: EntryValue;
      readonly idp_client_secret?: EntryValue;
      readonly id_token_file: EntryValue;
      readonly scope?: EntryValue;
    };

/** The transports that a definition can name. */
export type TransportName = "stdio" | "http" | "sse" | "websocket" | "claudeai-proxy" | "sdk";

/** The layer a definition came from. */
export type ConfigSource = ConfigLayer | "invocation";

/** The config files found in fixed places, from lowest to highest precedence. */
export type ConfigLayer = "managed" | "user" | "project" | "local";
