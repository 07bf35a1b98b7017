/** Where a server is and how to reach it: a definition with everything resolved. */
import type { Transport } from "../wire/transport.ts";

export type Target = StdioTarget | HttpTarget | SseTarget | WebSocketTarget | ProxyTarget | InProcessTarget;

export interface StdioTarget {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

interface UrlTarget {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

/** Streamable HTTP; a server that only knows HTTP+SSE is found out and spoken with that way. */
export interface HttpTarget extends UrlTarget {
  readonly transport: "http";
}

/** HTTP+SSE, as it was in 2024-11-05. */
export interface SseTarget extends UrlTarget {
  readonly transport: "sse";
}

export interface WebSocketTarget extends UrlTarget {
  readonly transport: "websocket";
}

/** One of the servers behind a proxy, by its id. */
export interface ProxyTarget extends UrlTarget {
  readonly transport: "claudeai-proxy";
  readonly id: string;
}

/** A server in this very process. */
export interface InProcessTarget {
  readonly transport: "in-process";
  /** Tells it from every other one. */
  readonly id: string;
  readonly connect: () => Transport | Promise<Transport>;
}

/** Whether a network lies between, which may be gone without a word and come back at any time. */
export function isRemote({ transport }: Target): boolean {
  return transport !== "stdio" && transport !== "in-process";
}
