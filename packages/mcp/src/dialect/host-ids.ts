/**
 * Reads and writes host ids in `_meta`. A host sends its own id and the ids that
 * its servers sent, in its handshake response and with every list of tools. A host
 * that finds its own id there detects the loop before it offers its tools twice.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_REQUEST } from "../wire/rpc-codes.ts";
import type { Identity } from "./identity.ts";

const KEY = "plugboard/instances";
/** Drops the ids of hosts further away than this. */
const MAX_IDS = 100;
const LONGEST_ID = 100;

/** Reads host ids from `_meta` or from the data of an error. */
export function readHostIds(meta: Json | undefined): readonly string[] {
  const ids = isJsonObject(meta) ? meta[KEY] : undefined;
  if (!Array.isArray(ids)) return [];
  return ids.filter((id) => typeof id === "string" && id.length <= LONGEST_ID).slice(0, MAX_IDS) as string[];
}

/** Returns members to spread into `_meta`. Empty for a program that is not a host. */
export function hostIdsMeta({ instance }: Identity, others: readonly string[] = []): JsonObject {
  return instance === undefined ? {} : { [KEY]: [...new Set([instance, ...others])].slice(0, MAX_IDS) };
}

/** Returns an error for a request that has already passed through this host. */
export function rejectLoop({ instance }: Identity, through: readonly string[]): PeerError | undefined {
  if (instance === undefined || !through.includes(instance)) return undefined;
  const message = "This connection leads back to the host it comes from";
  return { code: INVALID_REQUEST, message, data: { plugboard: "SERVER_IS_SELF", [KEY]: [instance] } };
}
