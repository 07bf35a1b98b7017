/** A server as a config file or a program writes it; `host/config` checks it and says what is wrong. */
export interface ServerEntry {
  readonly transport?: "stdio" | "http";
  readonly enabled?: boolean;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly startup_timeout_ms?: number;
  readonly request_timeout_ms?: number;
  readonly max_timeout_ms?: number;
}

/** The layer a definition came from. */
export type Source = "managed" | "user" | "project" | "local" | "invocation" | "claudeai";
