/**
 * Checks a pasted redirect URL before it is sent to the host, where an invalid one would end the login. The problem
 * text never quotes the URL, because it contains a secret.
 */
import { parseUrl } from "@plugboard/contracts";
import type { LoginStep } from "@plugboard/contracts";

export type BrowserStep = Extract<LoginStep, { type: "browser" }>;

/** Returns the problem with the URL, or undefined if it is valid. */
export function validateRedirect(pasted: string, { url, redirectUri }: BrowserStep): string | undefined {
  const [actual, expected] = [parseUrl(pasted), new URL(redirectUri)];
  if (!actual) return "it is not a URL";
  if (actual.origin !== expected.origin || actual.pathname !== expected.pathname) {
    return `the redirect URL begins with ${redirectUri}`;
  }
  const { searchParams } = actual;
  const state = parseUrl(url)?.searchParams.get("state") ?? null;
  const hasResult = searchParams.has("code") || searchParams.has("error");
  if (!hasResult || (state !== null && !searchParams.has("state"))) return "it is incomplete; copy all of it";
  if (state !== null && searchParams.get("state") !== state) return "it belongs to another login";
  return undefined;
}
