/** How to reach a server in another process: its definition with all variables and secrets resolved. */
export type ServerTarget = StdioTarget | HttpTarget | SseTarget | WebSocketTarget | ProxyTarget;

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
