/** Reads parts of a client's config file that most clients have. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ServerSection } from "./client.ts";

export function sectionAt(document: JsonObject, key: string): ServerSection[] {
  const servers = document[key];
  return isJsonObject(servers) ? [{ servers }] : [];
}

export function hasObject(document: JsonObject, key: string): boolean {
  return isJsonObject(document[key]);
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Removes keys that have no effect on a server, such as a description. */
export function withoutKeys(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}
