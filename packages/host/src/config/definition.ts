/** A server's entry after checking: complete, with defaults, its `${…}` not yet expanded. */
import type { Source } from "@plugboard/contracts";

interface Common {
  readonly enabled: boolean;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly healthIntervalMs?: number;
  readonly idleStopMs?: number;
  readonly retry?: "safe" | "never";
  readonly maxMessageBytes?: number;
}

interface StdioDefinition extends Common {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: { readonly [name: string]: string };
}

interface UrlDefinition extends Common {
  readonly transport: "http" | "sse" | "websocket";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

interface ProxyDefinition extends Common {
  readonly transport: "claudeai-proxy";
  /** Which of the servers behind the URL. */
  readonly id: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

export type ServerDefinition = StdioDefinition | UrlDefinition | ProxyDefinition;

/** A server as a workspace knows it: its definition, or why it has none. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: Source;
  readonly definition: ServerDefinition | { readonly invalid: string };
  /** Where relative paths of the definition start, and where it runs unless it says otherwise. */
  readonly folder: string;
}
