/** How to reach a server in another process: its definition with all variables and secrets resolved. */
export type ServerTarget = StdioTarget | HttpTarget | SseTarget | WebSocketTarget | ProxyTarget;

export interface StdioTarget {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Without it, the server runs with all rights of its user. */
  readonly sandbox?: SandboxPolicy;
}

/**
 * The `sandbox` key of a definition. `read-only`: it may read the workspace. `project`: it may write the workspace. `offline`:
 * it has no network. `true`: the defaults, without the workspace and with a network.
 */
export type SandboxSetting =
  | true
  | "read-only"
  | "offline"
  | "project"
  | {
      readonly read?: readonly string[];
      readonly write?: readonly string[];
      readonly network?: boolean | readonly string[];
    };

/**
 * The files and hosts that a sandboxed server may use. All paths are absolute. The system folders and the server's own
 * package are always readable, and it has a temporary folder of its own. It sees no other files and no other processes.
 */
export interface SandboxPolicy {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Hidden even if it is inside `read` or `write`, such as the state folder of the host. */
  readonly hide?: readonly string[];
  /**
   * `true`: every host except this machine. `false`: none. A list: these hosts, through a proxy for HTTP and HTTPS
   * (`example.com`, `*.example.com`, `example.com:8443`).
   */
  readonly network: boolean | readonly string[];
  /**
   * The folder for packages that the server downloads when it starts, such as with npx. Their code is executed, so no other
   * server may use this folder. Without it, they are downloaded at every start.
   */
  readonly cache?: string;
  /**
   * The folders that all paths of `read` and `write` must lead to, after symbolic links. The start fails otherwise. Set if
   * the author of the paths may not choose them freely.
   */
  readonly limit?: Pick<SandboxPolicy, "read" | "write">;
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
