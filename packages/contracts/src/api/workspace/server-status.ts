/** The status of a server, as front ends show it. */
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { LoginStatus } from "./login.ts";
import type { SandboxAccess } from "./sandbox.ts";
import type { ConfigSource, TransportName } from "./server-entry.ts";
import type { ToolAnnotations } from "../../protocol/tool.ts";

/** The protocol era: `legacy` has a session with a handshake; in `modern`, every request stands alone. */
export type Era = (typeof ERAS)[number];
export const ERAS = ["legacy", "modern"] as const;

export type ServerState = "disabled" | "idle" | "connecting" | "auth_required" | "ready" | "error";

/** The current status of a server. Reading it starts no server. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: TransportName;
  readonly source: ConfigSource;
  /** The command or URL as written, with possible secrets masked. */
  readonly target: string;
  readonly enabled: boolean;
  /** What its sandbox allows. Absent without a sandbox. */
  readonly sandbox?: SandboxAccess;
  /** True if the server was disabled at run time. It stays connected, but its tools are not offered. */
  readonly hidden?: boolean;
  readonly state: ServerState;
  /** The number of tools of the server that can be called now. */
  readonly tools: number;
  /**
   * The number of tools that a rule denies, a definition or a program excludes, or a user has switched off. Absent if
   * there are none.
   */
  readonly hiddenTools?: number;
  /** When the tools were listed, in milliseconds since 1970. Absent if they were listed since the host started. */
  readonly toolsListedAt?: number;
  readonly era?: Era;
  /** The protocol revision in use. */
  readonly version?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly pid?: number;
  /** The number of invalid messages from the server since it connected. Absent if there were none. */
  readonly skippedMessages?: number;
  /** The reason why the server is not usable. While the server is `connecting`, the error of the previous attempt. */
  readonly lastError?: HostErrorJson;
  /** When the next connection attempt begins, in milliseconds since 1970. */
  readonly retryAt?: number;
  /** The number of automatic reconnects. */
  readonly restarts?: number;
  readonly lastConnectedAt?: number;
  /** The login that authorizes the requests to the server. */
  readonly login?: LoginStatus;
  /** Tools of the server that can't be used, with the reason. */
  readonly droppedTools?: readonly { readonly tool: string; readonly reason: string }[];
}

/** A tool as a server lists it, without its schemas. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
}

/** The status of one server with its definition, instructions, tools and stderr. */
export interface ServerDetail extends ServerStatus {
  /** The definition as written, with every value that may be a secret masked. */
  readonly config: JsonObject;
  readonly instructions?: string;
  /**
   * The capabilities that the server has declared, such as `resources` and `resources.subscribe`, and the names of its
   * extensions. Absent if the server was never connected.
   */
  readonly capabilities?: readonly string[];
  /** The tools that can be called now, as many as `tools` says. */
  readonly offered: readonly ListedTool[];
  /** The tools that `hiddenTools` counts. Absent if there are none. */
  readonly notOffered?: readonly ListedTool[];
  /** The end of the process's stderr output. */
  readonly stderr?: string;
}
