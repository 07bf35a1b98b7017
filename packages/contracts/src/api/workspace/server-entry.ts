import type { Era } from "./server-status.ts";

/** A server definition as written in a config file or a program. It is not validated yet. */
export interface ServerEntry {
  readonly transport?: TransportName;
  /** Alias of `transport` for compatibility with other clients. */
  readonly type?: TransportName;
  readonly enabled?: boolean;
  readonly command?: string;
  readonly args?: readonly EntryValue[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: EntryValue };
  readonly url?: string;
  readonly headers?: { readonly [name: string]: EntryValue };
  /** The name of a server object in the program's own process (transport `sdk`). */
  readonly name?: string;
  /** The id of a server behind a proxy (transport `claudeai-proxy`). */
  readonly id?: string;
  readonly auth?: AuthEntry;
  /** Separates logins at one URL. */
  readonly account?: string;
  /**
   * Whether all clients of the gateway use the owner's login, or each logs in itself. By default `shared` for clients with
   * a named token, and `each` for subjects of an external issuer.
   */
  readonly login?: "shared" | "each";
  readonly startup_timeout_ms?: number;
  readonly request_timeout_ms?: number;
  readonly max_timeout_ms?: number;
  readonly health_interval_ms?: number;
  readonly start?: "eager" | "lazy";
  readonly idle_stop_ms?: number;
  /** Whether all callers share one connection, or each caller gets its own. */
  readonly share?: "all" | "caller";
  readonly tools?: ToolFilterEntry;
  /** `safe`: requests that change nothing are retried after a lost connection. */
  readonly retry?: "safe" | "never";
  /** The era of the protocol. `auto`, the default, detects it and prefers the modern one. */
  readonly protocol?: Era | "auto";
  readonly trust_annotations?: boolean;
  /** Whether a call fails if its result does not match the output schema of the tool. */
  readonly strict_results?: boolean;
  readonly sampling?: boolean;
  /** True if the server gets the workspace's folders as roots. A list gives it other folders instead. */
  readonly roots?: boolean | readonly string[];
  readonly max_message_bytes?: number;
  readonly result_limit_bytes?: number;
}

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
export type ConfigSource = ConfigLayer | "invocation" | "claudeai";

/** The config files found in fixed places, from lowest to highest precedence. */
export type ConfigLayer = "managed" | "user" | "project" | "local";
