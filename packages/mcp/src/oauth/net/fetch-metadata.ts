/** Fetches metadata documents, which may be missing or invalid. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { OAuthContext } from "./oauth-context.ts";
import { parseJsonObject } from "./read-json-object.ts";

/** Longer lists make no sense, and the values end up in a URL. */
const MAX_LIST_ITEMS = 200;

/**
 * Returns undefined if there is no JSON object at the URL: many sites answer every path with an HTML page. Throws if
 * the server fails, because no other URL may replace one that is temporarily unavailable.
 */
export async function fetchMetadata(url: string, ctx: OAuthContext): Promise<JsonObject | undefined> {
  const { fetch, server, signal } = ctx;
  const response = await fetch(url, {
    method: "GET",
    headers: { accept: "application/json" },
    redirect: "manual",
    ...(signal && { signal }),
  });
  const { status } = response;
  if (status === 200) return parseJsonObject(await response.text());
  await response.body?.cancel();
  if (isServerFailure(status)) {
    const reason = `its login metadata can't be fetched (HTTP status ${status})`;
    throw new HostError("SERVER_UNREACHABLE", { server, reason });
  }
  return undefined;
}

export function stringList(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, MAX_LIST_ITEMS) : undefined;
}

/** Some proxies answer an unknown path with 501 or 502. */
function isServerFailure(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501 && status !== 502);
}
