/** Checks the `_meta` of a modern client's request. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { MODERN_NAMES } from "../../session/revisions.ts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import { INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION } from "../../wire/rpc-error-codes.ts";

/** Returns an error if a required field is missing. */
export function missingMetaError(params: JsonObject | undefined): PeerError | undefined {
  const meta = metaOf(params?.["_meta"]);
  if (typeof meta[META_KEYS.protocolVersion] !== "string") return missing(META_KEYS.protocolVersion);
  return isJsonObject(meta[META_KEYS.clientCapabilities]) ? undefined : missing(META_KEYS.clientCapabilities);
}

/** Returns an error if the request names a revision that is not supported. */
export function unsupportedVersionError(params: JsonObject): PeerError | undefined {
  const { [META_KEYS.protocolVersion]: requested } = metaOf(params["_meta"]);
  if (typeof requested !== "string" || MODERN_NAMES.some((known) => known === requested)) return undefined;
  const data = { supported: [...MODERN_NAMES], requested };
  return { code: UNSUPPORTED_PROTOCOL_VERSION, message: `Revision ${requested} is not supported`, data };
}

function metaOf(meta: Json | undefined): JsonObject {
  return isJsonObject(meta) ? meta : {};
}

function missing(key: string): PeerError {
  return { code: INVALID_PARAMS, message: `${key} is missing in _meta` };
}
