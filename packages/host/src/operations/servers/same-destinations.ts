/**
 * Checks that the masked values of an entry, when they are restored, go to the same places as before: the same site and
 * the same program. Compares definitions, because an entry can name a place in several ways. Pure.
 */
import { canonicalJson, HostError, parseUrl } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { isCodeVariable, unmaskedEntry } from "@plugboard/config";
import type { ValidDefinition } from "./describe-plan.ts";

/** Throws USAGE if a secret of the old definition could go to another place. The user has to type it again. */
export function requireSameDestinations(definition: ValidDefinition, old: ValidDefinition): void {
  const [entry, oldEntry] = [unmaskedEntry(definition), unmaskedEntry(old)];
  const isSame = isSameSite(entry["url"], oldEntry["url"]);
  if (!isSame || canonicalJson(otherPlaces(entry)) !== canonicalJson(otherPlaces(oldEntry))) throw maskedAgain();
}

/** The error for a mask that stands for no value, or for a value that must not be restored. */
export function maskedAgain(): HostError {
  return new HostError("USAGE", { message: "type a masked value (***) again", omitHelp: true });
}

/** Returns what decides where secrets go, except for the URL of the server. */
function otherPlaces({ command, args = [], cwd = ".", env = {}, auth }: JsonObject): Json {
  const variables = Object.entries(env as JsonObject).filter(([name]) => isCodeVariable(name));
  const urls = Object.entries((auth ?? {}) as JsonObject).filter(([key]) => key.endsWith("_url"));
  return { command: command ?? null, args, cwd, env: Object.fromEntries(variables), auth: Object.fromEntries(urls) };
}

function isSameSite(url: Json | undefined, original: Json | undefined): boolean {
  if (url === original) return true;
  const origin = originOf(url);
  return origin !== undefined && origin === originOf(original);
}

/**
 * Returns undefined if the origin is not known before variables are expanded. A variable before the host counts, too:
 * if its value contains a slash, the text before it becomes the host.
 */
function originOf(text: Json | undefined): string | undefined {
  const url = typeof text === "string" ? parseUrl(text) : undefined;
  if (!url || url.origin === "null") return undefined;
  return [url.username, url.password, url.host].some((part) => part.includes("$")) ? undefined : url.origin;
}
