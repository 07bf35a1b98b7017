/** A server as a config file or a program writes it; `host/config` checks it and says what is wrong. */
export interface ServerEntry {
  readonly transport?: TransportName;
  /** Alias of `transport`, as the Agent SDK and other clients spell it. */
  readonly type?: TransportName;
  readonly enabled?: boolean;
  readonly command?: string;
  readonly args?: readonly EntryValue[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: EntryValue };
  readonly url?: string;
  readonly headers?: { readonly [name: string]: EntryValue };
  /** Of a server in the program's own process: what the program calls it. */
  readonly name?: string;
  /** Of a server behind a proxy: which one. */
  readonly id?: string;
  readonly auth?: AuthEntry;
  /** Separates logins at one URL. */
  readonly account?: string;
  readonly startup_timeout_ms?: number;
  readonly request_timeout_ms?: number;
  readonly max_timeout_ms?: number;
  readonly health_interval_ms?: number;
  readonly start?: "eager" | "lazy";
  readonly idle_stop_ms?: number;
  readonly share?: "all" | "caller";
  readonly tools?: ToolFilterEntry;
  readonly retry?: "safe" | "never";
  readonly trust_annotations?: boolean;
  readonly sampling?: boolean;
  /** True if the server gets the workspace's folders as roots; a list names other folders. */
  readonly roots?: boolean | readonly string[];
  readonly max_message_bytes?: number;
  readonly result_limit_bytes?: number;
}

/** A text, in which `${NAME}` is expanded, or where to find a secret that is written down elsewhere. */
export type EntryValue = string | SecretReference;

export type SecretReference =
  | { readonly $secret: string }
  | { readonly $file: string }
  | { readonly $cmd: readonly string[] };

/** Which of a server's tools are used, by patterns of their names. */
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
      /** This, or one of the files. */
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

/** The ways to talk to a server that a definition can name. */
export type TransportName = "stdio" | "http" | "sse" | "websocket" | "claudeai-proxy" | "sdk";

/** The layer a definition came from. */
export type ConfigSource = ConfigLayer | "invocation" | "claudeai";

/** The config files found in fixed places, from lowest to highest precedence. */
export type ConfigLayer = "managed" | "user" | "project" | "local";
