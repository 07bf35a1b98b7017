/** The requests that open a session and detect the era: how each is sent, and which event its response means. */
import type { HostError, JsonObject } from "@plugboard/contracts";
import type { Identity } from "../session/identity.ts";
import type { ServerInfo } from "../session/server-info.ts";
import type { ClientFeatures } from "../session/session.ts";
import { NEWEST_LEGACY, NEWEST_MODERN } from "../session/revisions.ts";
import { isAuthError } from "../wire/is-auth-error.ts";
import type { RequestMessage } from "../wire/message.ts";
import type { RpcResponse } from "../wire/outgoing-request.ts";
import type { Peer } from "../wire/peer.ts";
import { METHOD_NOT_FOUND } from "../wire/rpc-error-codes.ts";
import type { WireHeaders } from "../wire/transport.ts";
import type { OpeningMethod, ProbeEvent } from "./detect-era.ts";
import { initializeParams, parseHandshake } from "./legacy/handshake.ts";
import type { Handshake } from "./legacy/handshake.ts";
import { discoverParams, parseDiscoverResult } from "./modern/discover.ts";
import { requestHeaders } from "./modern/request-headers.ts";

interface OpeningRequest {
  readonly revision: string;
  readonly params: JsonObject;
  readonly headers?: WireHeaders;
}

export function openingRequest(method: OpeningMethod, identity: Identity, features: ClientFeatures): OpeningRequest {
  switch (method) {
    case "server/discover":
      return {
        revision: NEWEST_MODERN.name,
        params: discoverParams(identity),
        headers: requestHeaders(NEWEST_MODERN.name, method),
      };
    case "initialize":
      return { revision: NEWEST_LEGACY.name, params: initializeParams(identity, features) };
    case "ping":
      return { revision: NEWEST_LEGACY.name, params: {} };
  }
}

interface OpeningResult {
  readonly event: ProbeEvent;
  /** Set by a modern server. */
  readonly serverInfo?: ServerInfo;
  /** Set by a legacy server. */
  readonly handshake?: Handshake;
}

/** `response` is undefined if the request was rejected without a JSON-RPC message, for example by an HTTP status. */
export function parseOpeningResponse(method: OpeningMethod, response: RpcResponse | undefined): OpeningResult {
  switch (method) {
    case "server/discover": {
      if (response && !response.ok) return { event: { type: "discover_refused", error: response.error } };
      const discovered = response && parseDiscoverResult(response.result);
      if (!discovered) return { event: { type: "discover_refused" } };
      const { versions, serverInfo } = discovered;
      return { event: { type: "discovered", versions }, serverInfo };
    }
    case "initialize":
      if (!response?.ok) return { event: { type: "initialize_refused" } };
      return { event: { type: "initialized" }, handshake: parseHandshake(response.result) };
    case "ping":
      return { event: { type: "ping_answered" } };
  }
}

/** True if the server is reachable and rejected the request in any way. */
export function isRejectedByServer(error: HostError): boolean {
  if (isAuthError(error)) return false;
  switch (error.code) {
    case "CANCELLED":
    case "CONNECTION_CLOSED":
      return false;
    case "SERVER_UNREACHABLE":
      // The cause is a network error. A server that answers with an error status leaves no cause.
      return error.cause === undefined;
    default:
      return true;
  }
}

/** Handles a request that the server sends before the session is open: answers a ping, and rejects all others. */
export function answerBeforeOpen(peer: Peer, { id, method }: RequestMessage): void {
  // Only a legacy server sends requests.
  peer.revision = NEWEST_LEGACY.name;
  if (method !== "ping") {
    const message = `${method} is not supported before the session is open`;
    return peer.respondWithError(id, { code: METHOD_NOT_FOUND, message });
  }
  // The peer records a failure to send in its counters.
  peer.respond(id, {}).catch(() => {});
}
