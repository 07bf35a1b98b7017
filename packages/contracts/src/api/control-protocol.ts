/**
 * How a client and the running host talk: JSON requests and streams of events.
 * The host binds everything to a channel; a channel lives as long as its stream.
 */
import type { Caller } from "./caller.ts";
import { ERROR_TABLE } from "../errors/error-table.ts";
import { HostError } from "../errors/error.ts";
import type { HostErrorJson } from "../errors/error.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Progress } from "../protocol/progress.ts";

export const VERSION_HEADER = "x-plugboard-version";

/** What a request on the socket is upgraded to, to become the byte stream of a front. */
export const STDIO_UPGRADE_PROTOCOL = "plugboard-stdio";

/** Lists the ids of the hosts that started a stdio client. */
export const HOST_CHAIN_HEADER = "x-plugboard-through";

export const controlPaths = {
  channels: "/api/channels",
  events: (channel: string, after: number | undefined) =>
    `/api/channels/${channel}/events${after === undefined ? "" : `?after=${after}`}`,
  workspaces: (channel: string) => `/api/channels/${channel}/workspaces`,
  invoke: (channel: string, workspace: string, method: string) =>
    `/api/channels/${channel}/workspaces/${workspace}/${method}`,
};

/** The first event on a channel's stream. */
export interface ChannelOpened {
  readonly channel: string;
  readonly caller: Caller;
}

/** An event in the response of a method that reports progress. A result or an error is the last event. */
export type CallEvent =
  | { readonly progress: Progress }
  | { readonly result: unknown }
  | { readonly error: HostErrorJson };

/** An error that travelled is the same error again. */
export function deserializeError(json: unknown): HostError {
  if (isJsonObject(json) && typeof json["code"] === "string" && json["code"] in ERROR_TABLE) {
    const { code, details, peer } = json as unknown as HostErrorJson;
    return new HostError(code, details, peer === undefined ? undefined : { cause: peer });
  }
  return new HostError("HOST_UNREACHABLE", { reason: `it answered ${JSON.stringify(json)}` });
}
