import type { Era } from "../protocol/era.ts";
import type { HostErrorJson } from "../errors/error.ts";
import type { JsonObject } from "../lib/json.ts";
import type { LoginStatus } from "./login.ts";
import type { ConfigSource, TransportName } from "./server-entry.ts";
import type { ToolAnnotations } from "../protocol/tool.ts";

export type ServerState = "disabled" | "idle" | "connecting" | "auth_required" | "ready" | "error";

/** What is known of a server now. Reading it starts nothing. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: TransportName;
  readonly source: ConfigSource;
  /** What is run or called, as written, with what looks secret masked. */
  readonly target: string;
  readonly enabled: boolean;
  /** Switched off at run time: linked, but its tools are not offered. */
  readonly hidden?: boolean;
  readonly state: ServerState;
  /** How many tools it offers now. */
  readonly tools: number;
  readonly era?: Era;
  /** The protocol revision in use. */
  readonly version?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly pid?: number;
  /** How much of what it wrote was no message of the protocol, since it was connected. Absent if all was in order. */
  readonly skippedMessages?: number;
  /** Why it is not usable: while it is `connecting`, what it comes back from. */
  readonly lastError?: HostErrorJson;
  /** When the next attempt begins, while it waits for one. */
  readonly retryAt?: number;
  /** How often it was begun again by itself. */
  readonly restarts?: number;
  readonly lastConnectedAt?: number;
  /** The login that its requests are made with. */
  readonly login?: LoginStatus;
  /** Tools that were offered but could not be used, with the reason. */
  readonly droppedTools?: readonly { readonly tool: string; readonly reason: string }[];
}

/** All that is known of one server, for whoever looks into it. */
export interface ServerDetail extends ServerStatus {
  /** The definition as written, with every value that may be a secret masked. */
  readonly config: JsonObject;
  readonly instructions?: string;
  readonly offered: readonly {
    readonly name: string;
    readonly description?: string;
    readonly annotations?: ToolAnnotations;
  }[];
  /** The last that its process wrote to stderr. */
  readonly stderr?: string;
}
