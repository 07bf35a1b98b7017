/** What the host knows about its config, and why calls failed. */
import { text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ClientCounts } from "../host/host-control.ts";
import type { EditableScope } from "./servers.ts";

export interface HostOperations {
  overview(): Promise<HostOverview>;
  /** Returns why a call failed, and its arguments. The host knows the latest failed calls since it was started. */
  callFailure(call: string): Promise<CallFailure>;
}

/** How the methods are called from another process. */
export const HOST_OPERATIONS: OperationTable<HostOperations> = {
  overview: { right: "manage", params: [] },
  callFailure: { right: "manage", params: [text] },
};

export interface HostOverview {
  readonly version: string;
  /** The folder of the served workspace. */
  readonly folder: string;
  /** The URL of the port. */
  readonly endpoint?: string;
  /** The origin that shows MCP Apps, such as `http://127.0.0.1:7432`. */
  readonly sandboxOrigin?: string;
  /** Absent if no host runs. */
  readonly running?: { readonly startedAt: number; readonly clients: ClientCounts };
  readonly scopes: readonly ScopeInfo[];
  readonly profiles: readonly string[];
}

/** A scope that has a file here. */
export interface ScopeInfo {
  readonly scope: EditableScope;
  /** The file that a new server is written to. */
  readonly file: string;
  /** The base of relative paths in its definitions, and the default working folder of its servers. */
  readonly folder: string;
}

export interface CallFailure {
  /** The error message, or the text of a result with `isError`. Absent if the host no longer has it. */
  readonly reason?: string;
  /** The arguments as the caller sent them. Absent if the host no longer has them, or has only their beginning. */
  readonly arguments?: JsonObject;
  /** The beginning of arguments that are too long to keep, as the text of their JSON. */
  readonly cutArguments?: string;
  /** True if the arguments contain `***` in place of secrets. */
  readonly masked?: boolean;
}
