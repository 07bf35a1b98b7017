/** Metadata that may be there or not, and may be anything. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { OAuthContext } from "./oauth-context.ts";
import { parseJsonObject } from "./read-json-object.ts";

/** No list in it is longer in earnest, and what is asked for goes into a URL. */
const MAX_LIST_ITEMS = 200;

/**
 * Nothing if there is none at that address, or something else: a site may answer every path with its own page.
 * A server that is in trouble is an error: where it does not answer now, no other address may take its place.
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
    const reason = `what it says about logging in can't be fetched (HTTP status ${status})`;
    throw new HostError("SERVER_UNREACHABLE", { server, reason });
  }
  return undefined;
}

export function stringList(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, MAX_LIST_ITEMS) : undefined;
}

/** 501 and 502 are also what stands for "no such path" in front of some servers. */
function isServerFailure(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501 && status !== 502);
}
