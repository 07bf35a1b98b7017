/**
 * The control of the running host: what it is, its port for MCP clients, and its end. Only for clients of the socket.
 */
import type { WorkspaceSpec } from "./host-api.ts";
import type { Era } from "../workspace/server-status.ts";

export interface HostControl {
  /** Describes the running host. Its clients are counted without the caller. */
  info(): Promise<HostInfo>;
  /**
   * Opens the port for MCP clients that use HTTP, and starts the servers of the workspace. The port stays open while a
   * client that called `listen` is connected. If the port is already open for the same workspace, it is shared. Throws
   * HOST_SERVING if it is open for another workspace, or if another port is open.
   */
  listen(spec: WorkspaceSpec, options?: ListenOptions): Promise<PortInfo>;
  /** Ends the caller's use of the port. Returns the port if it stays open for another client. */
  closePort(): Promise<PortInfo | undefined>;
  /** Returns a link that opens the page in a browser and signs it in, once. Throws NOT_FOUND if no port is open. */
  openPage(): Promise<PageLink>;
  /** Begins to stop the host, and returns without waiting for its end. */
  stop(options?: StopOptions): Promise<void>;
}

export interface ListenOptions extends ListenAddress {
  /** The port on 127.0.0.1. By default, and for 0, a free port. */
  readonly port?: number;
  /** Keeps the port open until the host stops. */
  readonly keep?: boolean;
}

/** How clients beyond this machine reach the port. Both need `mcp.gateway.auth` in the user's config. */
export interface ListenAddress {
  /** The address to listen on. By default 127.0.0.1. */
  readonly host?: string;
  /** The URL of the port for other machines, usually that of a reverse proxy. */
  readonly publicUrl?: string;
}

export interface PageLink {
  /** Has a one-time code in its fragment, which browsers don't send to servers. */
  readonly url: string;
  /**
   * The same link on the page's own port, for a browser that reaches this port only by forwarding (`ssh -L`). It does
   * not clear what another program left on this port in the browser. Both links have the same code, so only one of them
   * can be used.
   */
  readonly forwardedUrl: string;
  /** When the code expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface StopOptions {
  /** Does not wait for pending requests and servers. */
  readonly force?: boolean;
}

export interface HostInfo {
  readonly pid: number;
  readonly version: string;
  /**
   * Identifies the files that the host runs. Two builds of one version differ in it. Absent in a program's own host.
   */
  readonly build?: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly startedBy: HostStarter;
  /** Absent if no port is open. */
  readonly port?: PortInfo;
  readonly clients: ClientCounts;
  /** The number of open workspaces: one for the port, and those of the clients. */
  readonly workspaces: number;
}

/**
 * `serve`: a command in a terminal, whose process is the host. `service`: the system's service manager. `background`:
 * a command that needed a host. Such a host ends when it has been unused for a while and has no open port.
 */
export type HostStarter = "serve" | "service" | "background";

export interface PortInfo extends ListenAddress {
  /** The base URL for MCP clients, such as `http://127.0.0.1:7431`. */
  readonly endpoint: string;
  readonly port: number;
  /** The workspace that is served, without its environment. */
  readonly spec: Omit<WorkspaceSpec, "env">;
  /** True if the port stays open until the host stops. */
  readonly kept: boolean;
}

export interface ClientCounts {
  /** MCP clients that launched `plugboard stdio`. */
  readonly stdio: number;
  /** Tokens that MCP clients use over HTTP now, or have used in the last five minutes. */
  readonly http: number;
  /** Commands, chats, programs and pages. */
  readonly other: number;
  /** Open sessions of legacy clients over HTTP. Clients often leave theirs open, and modern clients have none. */
  readonly sessions: number;
  /** The MCP clients, in the order in which they connected. */
  readonly connected: readonly ConnectedClient[];
}

/**
 * An MCP client that uses the gateway. Over stdio, it is one connection. Over HTTP, it is all requests of one token
 * with the same name and revision, because modern clients have no session. Such a client is listed for five minutes
 * after its last request.
 */
export interface ConnectedClient {
  readonly transport: "stdio" | "http";
  /** The name of its token, or the subject that an external issuer has signed. Absent over stdio. */
  readonly token?: string;
  /** The name that the client gives itself. It is not authenticated. */
  readonly name?: string;
  /** The version that the client gives itself. It is not authenticated. */
  readonly version?: string;
  /** Absent if the client has sent no request yet. */
  readonly era?: Era;
  /** The protocol revision. Absent if the client has sent no request yet. */
  readonly revision?: string;
  /** The profile that it uses. Absent for all servers. */
  readonly profile?: string;
  /** In milliseconds since 1970. */
  readonly connectedAt: number;
  /** The number of its tool calls. */
  readonly calls: number;
  /** When its last tool call began, in milliseconds since 1970. */
  readonly lastCallAt?: number;
}
