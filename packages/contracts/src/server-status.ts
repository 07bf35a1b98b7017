import type { Era } from "./era.ts";
import type { HostErrorJson } from "./error.ts";
import type { Source } from "./server-entry.ts";

export type ServerState = "disabled" | "idle" | "connecting" | "auth_required" | "ready" | "error";

/** What is known of a server now. Reading it starts nothing. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: "stdio" | "http";
  readonly source: Source;
  /** What is run or called, as written, with what looks secret masked. */
  readonly target: string;
  readonly enabled: boolean;
  readonly state: ServerState;
  /** How many tools it offers now. */
  readonly tools: number;
  readonly era?: Era;
  /** The protocol revision in use. */
  readonly version?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly pid?: number;
  readonly last_error?: HostErrorJson;
  readonly last_connected_at?: number;
  /** Tools that were offered but could not be used, with the reason. */
  readonly dropped_tools?: readonly { readonly tool: string; readonly reason: string }[];
}
