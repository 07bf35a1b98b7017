/**
 * The ids of hosts, as they travel in `_meta`. A host names itself and the hosts
 * that its servers have named, in its answer to a handshake and with every list of
 * tools. So a host that is reached again through others finds its own id there,
 * before its tools come back to it as somebody else's.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_REQUEST } from "../wire/rpc-codes.ts";
import type { Identity } from "./identity.ts";

const KEY = "plugboard/instances";
/** What is further away than so many hosts is not named. */
const MAX_IDS = 100;
const LONGEST_ID = 100;

/** Reads them from `_meta`, or from the data of an error. */
export function readHostIds(meta: Json | undefined): readonly string[] {
  const ids = isJsonObject(meta) ? meta[KEY] : undefined;
  if (!Array.isArray(ids)) return [];
  return ids.filter((id) => typeof id === "string" && id.length <= LONGEST_ID).slice(0, MAX_IDS) as string[];
}

/** To be spread into `_meta`; empty for a program that is no host. */
export function hostIdsMeta({ instance }: Identity, others: readonly string[] = []): JsonObject {
  return instance === undefined ? {} : { [KEY]: [...new Set([instance, ...others])].slice(0, MAX_IDS) };
}

/** The answer to a request that has come through the very host it is sent to. */
export function rejectLoop({ instance }: Identity, through: readonly string[]): PeerError | undefined {
  if (instance === undefined || !through.includes(instance)) return undefined;
  const message = "This connection leads back to the host it comes from";
  return { code: INVALID_REQUEST, message, data: { plugboard: "SERVER_IS_SELF", [KEY]: [instance] } };
}
