/** Decides which part of a request's `_meta` the gateway passes on to a server. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { META_KEYS, RELATED_TASK_KEY } from "../wire/meta-keys.ts";
import { HOST_IDS_KEY } from "./identity.ts";

/** The keys that each connection sets for itself. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  "progressToken",
  HOST_IDS_KEY,
  RELATED_TASK_KEY,
  ...Object.values(META_KEYS),
]);

/** Returns undefined if nothing is left. */
export function forwardableMeta(meta: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined;
  const entries = Object.entries(meta).filter(([key]) => !OWN_KEYS.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
