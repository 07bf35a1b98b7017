/**
 * Reads and writes host ids in `_meta`, by which a host detects connections to itself.
 * A host sends its client id to servers and its gateway id to clients, and each counts only
 * in that direction. A server never learns the id that would make its answers look like a loop.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_REQUEST } from "../wire/rpc-error-codes.ts";
import type { Identity } from "./identity.ts";

const META_KEY = "plugboard/instances";
/** Drops the ids of hosts further away than this. */
const MAX_IDS = 100;
const MAX_ID_LENGTH = 100;

/** Reads host ids from `_meta` or from the data of an error. */
export function parseHostIds(meta: Json | undefined): readonly string[] {
  const ids = isJsonObject(meta) ? meta[META_KEY] : undefined;
  if (!Array.isArray(ids)) return [];
  return ids.filter((id) => typeof id === "string" && id.length <= MAX_ID_LENGTH).slice(0, MAX_IDS) as string[];
}

/** Returns members to spread into the `_meta` of a handshake with a server. Empty for a program that is not a host. */
export function clientIdMeta({ ids }: Identity): JsonObject {
  return ids === undefined ? {} : { [META_KEY]: [ids.client] };
}

/** Returns members to spread into the `_meta` of an answer to a client: our id first, then those behind our servers. */
export function gatewayIdsMeta({ ids }: Identity, others: readonly string[] = []): JsonObject {
  return ids === undefined ? {} : { [META_KEY]: [...new Set([ids.gateway, ...others])].slice(0, MAX_IDS) };
}

/** Returns an error for a request of a client that is this host, or that this host started. */
export function rejectOwnClient({ ids }: Identity, parentHostIds: readonly string[]): PeerError | undefined {
  if (ids === undefined || !parentHostIds.includes(ids.client)) return undefined;
  const message = "This connection leads back to the host it comes from";
  return { code: INVALID_REQUEST, message, data: { plugboard: "SERVER_IS_SELF", [META_KEY]: [ids.gateway] } };
}

/**
 * Returns SERVER_IS_SELF if the answer of a server comes from this host. A server sends its own id first. Our id at a
 * later place comes through it from another server, which may have forged it.
 */
export function findOwnGateway(server: string, { ids }: Identity, hostIds: readonly string[]): HostError | undefined {
  if (ids === undefined || !hostIds.includes(ids.gateway)) return undefined;
  return new HostError("SERVER_IS_SELF", { server, ...(hostIds[0] !== ids.gateway && { indirect: true }) });
}
