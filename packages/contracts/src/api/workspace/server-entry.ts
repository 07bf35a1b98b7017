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

/** The transports that a definition can name. */
export type TransportName = "stdio" | "http" | "sse" | "websocket" | "claudeai-proxy" | "sdk";

/** The layer a definition came from. */
export type ConfigSource = ConfigLayer | "invocation";

/** The config files found in fixed places, from lowest to highest precedence. */
export type ConfigLayer = "managed" | "user" | "project" | "local";
