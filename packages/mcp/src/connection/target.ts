/** How to reach a server: its definition with all variables and secrets resolved. */
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

/** Streamable HTTP. Falls back to HTTP+SSE if the server supports only that. */
export interface HttpTarget extends UrlTarget {
  readonly transport: "http";
}

/** The HTTP+SSE transport of revision 2024-11-05. */
export interface SseTarget extends UrlTarget {
  readonly transport: "sse";
}

export interface WebSocketTarget extends UrlTarget {
  readonly transport: "websocket";
}

/** A server behind a proxy, named by its id there. */
export interface ProxyTarget extends UrlTarget {
  readonly transport: "claudeai-proxy";
  readonly id: string;
}

/** A server that runs in this process. */
export interface InProcessTarget {
  readonly transport: "in-process";
  /** Unique within the process. */
  readonly id: string;
  readonly connect: () => Transport | Promise<Transport>;
}

/** True if the server is reached over a network, which may fail silently and recover at any time. */
export function isRemote({ transport }: Target): boolean {
  return transport !== "stdio" && transport !== "in-process";
}
