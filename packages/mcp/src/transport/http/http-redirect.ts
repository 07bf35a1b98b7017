/** Decides whether a request follows a redirect. Pure. Only redirects within the server's own origin are followed. */
import { parseUrl } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";

export interface Redirect {
  readonly method: "GET" | "POST" | "DELETE";
  readonly status: number;
  readonly location: string;
  /** The URL that was requested. */
  readonly from: URL;
  /** How many redirects have been followed before. */
  readonly count: number;
}

const MAX_REDIRECTS = 5;
const FOLLOWED_STATUSES: { readonly [method in Redirect["method"]]: ReadonlySet<number> } = {
  // Other redirects may change the method.
  POST: new Set([307, 308]),
  DELETE: new Set([307, 308]),
  GET: new Set([301, 302, 303, 307, 308]),
};

/** Returns the path to request next, or undefined if the redirect must not be followed. */
export function redirectPath({ method, status, location, from, count }: Redirect): string | undefined {
  if (count >= MAX_REDIRECTS || !FOLLOWED_STATUSES[method].has(status)) return undefined;
  const url = parseUrl(location, from);
  return url?.origin === from.origin ? url.pathname + url.search : undefined;
}

/** Formats the target for an error message. Omits the query, which may contain secrets. */
export function describeRedirectTarget({ location, from }: Redirect): string {
  const url = parseUrl(location, from);
  return describeValue(url ? url.origin + url.pathname : location);
}
