/**
 * The protocol between the running host and its clients: JSON requests and event streams.
 * A client opens a channel and becomes the caller of all requests on it. The channel ends when its event stream ends.
 */
import type { Caller, CallerKind } from "./caller.ts";
import { ERROR_TABLE } from "../../errors/error-table.ts";
import { HostError } from "../../errors/error.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { CallerOptions, WorkspaceSpec } from "./host-api.ts";
import type { ConfigProblem, Progress } from "../workspace/workspace.ts";

export const VERSION_HEADER = "x-plugboard-version";

/** The request header with the key that a signed-in page has stored for its origin. Its cookie alone is not enough. */
export const PAGE_KEY_HEADER = "x-plugboard-page";

/** The page sends its one-time code here. The response sets its cookie. */
export const PAGE_SESSION_PATH = "/page/session";

/**
 * A document of the host on another port sends a request here, to clear what other programs left in the browser for
 * this origin.
 */
export const PAGE_CLEAR_PATH = "/page/clear";

/**
 * The document that shows MCP Apps, on the origin of their sandbox. Its query names the origins that the App may use.
 */
export const APP_SANDBOX_PATH = "/sandbox.html";

/** The value of the HTTP `Upgrade` header that turns a request on the socket into the byte stream of an MCP client. */
export const STDIO_UPGRADE_PROTOCOL = "plugboard-stdio";

/**
 * The request header with the ids of the hosts that started a stdio client. The host rejects a client that it started
 * itself.
 */
export const HOST_CHAIN_HEADER = "x-plugboard-through";

/** The beginning of all paths. It changes with an incompatible change of the protocol. */
export const CONTROL_API_PATH = "/api/v1";

const CHANNELS = `${CONTROL_API_PATH}/channels`;

export const controlPaths = {
  /** The snapshot of the served workspace, then its events, without a channel. */
  feed: `${CONTROL_API_PATH}/events`,
  channels: CHANNELS,
  events: (channel: string, after: number | undefined) =>
    `${CHANNELS}/${channel}/events${after === undefined ? "" : `?after=${after}`}`,
  workspaces: (channel: string) => `${CHANNELS}/${channel}/workspaces`,
  chats: (channel: string, method: string) => `${CHANNELS}/${channel}/chats/${method}`,
  /** Opens the workspace of a chat on the channel. */
  chatWorkspace: (channel: string, chat: string) => `${CHANNELS}/${channel}/chats/${chat}/workspace`,
  operations: (channel: string, method: string) => `${CHANNELS}/${channel}/operations/${method}`,
  host: (channel: string, method: string) => `${CHANNELS}/${channel}/host/${method}`,
  invoke: (channel: string, workspace: string, method: string) =>
    `${CHANNELS}/${channel}/workspaces/${workspace}/${method}`,
  stdio: (channel: string, workspace: string, profile: string | undefined) =>
    `${CHANNELS}/${channel}/workspaces/${workspace}/stdio${profile === undefined ? "" : `?profile=${encodeURIComponent(profile)}`}`,
};

/** The body of the request that opens a channel. */
export interface ChannelRequest extends CallerOptions {
  readonly kind: CallerKind;
  /** Also opens this workspace, which saves a request. Without a folder, it is the served one. */
  readonly workspace?: Partial<WorkspaceSpec> | undefined;
  /** The workspace that operations apply to. It is not opened. By default the served one. */
  readonly operationsIn?: WorkspaceSpec | undefined;
  /** Also streams the events of the host, after the first event of the channel. */
  readonly events?: boolean;
}

export interface WorkspaceOpened {
  /** The id of the workspace. */
  readonly workspace: string;
  /** The problems of its config. */
  readonly problems: readonly ConfigProblem[];
  /** The environment variables that its definitions refer to. */
  readonly variables: readonly string[];
}

/** The first event on a channel's stream. Clients of any version understand it. */
export interface ChannelOpened {
  readonly channel: string;
  readonly caller: Caller;
  /** The sequence number of the host's latest event. */
  readonly seq: number;
  /** The version and the build of the host. */
  readonly version: string;
  readonly build?: string;
  /** The workspace of the request. A host of another version opens none. */
  readonly opened?: WorkspaceOpened;
}

/**
 * An event in the response of a method that reports progress. A result or an error is the last event. Its `seq` is the
 * sequence number up to which the host has sent the events on every event stream of the channel. They may arrive later
 * than the result. Absent if the channel has no event stream.
 */
export type CallEvent =
  | { readonly progress: Progress }
  | { readonly result: unknown; readonly seq?: number | undefined }
  | { readonly error: HostErrorJson; readonly seq?: number | undefined };

/** Restores a `HostError` from its JSON. Returns a HOST_UNREACHABLE error for any other JSON. */
export function deserializeError(json: unknown): HostError {
  if (isHostErrorJson(json)) {
    const { code, details, peer } = json;
    return new HostError(code, details, peer === undefined ? undefined : { cause: peer });
  }
  return new HostError("HOST_UNREACHABLE", { reason: `it responded with ${JSON.stringify(json)}` });
}

function isHostErrorJson(json: unknown): json is HostErrorJson {
  if (!isJsonObject(json) || !isJsonObject(json["details"])) return false;
  return typeof json["code"] === "string" && Object.hasOwn(ERROR_TABLE, json["code"]);
}
