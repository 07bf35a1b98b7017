/** A server as a config file or a program writes it; `host/config` checks it and says what is wrong. */
export interface ServerEntry {
  readonly transport?: TransportName;
  readonly enabled?: boolean;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Of a server behind a proxy: which one. */
  readonly id?: string;
  readonly startup_timeout_ms?: number;
  readonly request_timeout_ms?: number;
  readonly max_timeout_ms?: number;
  readonly health_interval_ms?: number;
  readonly idle_stop_ms?: number;
  readonly retry?: "safe" | "never";
  readonly max_message_bytes?: number;
}

/** The ways to talk to a server that a definition can name. */
export type TransportName = "stdio" | "http" | "sse" | "websocket" | "claudeai-proxy";

/** The layer a definition came from. */
export type Source = "managed" | "user" | "project" | "local" | "invocation" | "claudeai";
