/**
 * Checks a pasted redirect URL before it is sent to the host, where an invalid one would end the login. The problem
 * text never quotes the URL, because it contains a secret.
 */
import { parseUrl } from "@plugboard/contracts";
import type { LoginStep } from "@plugboard/contracts";

export type BrowserStep = Extract<LoginStep, { type: "browser" }>;

export function validateRedirect(pasted: string, { url, redirectUri }: BrowserStep): string | undefined {
  const [given, expected] = [parseUrl(pasted), new URL(redirectUri)];
  if (!given) return "it is not a URL";
  if (given.origin !== expected.origin || given.pathname !== expected.pathname) {
    return `the redirect URL begins with ${redirectUri}`;
  }
  const { searchParams } = given;
  const state = parseUrl(url)?.searchParams.get("state") ?? null;
  const hasResult = searchParams.has("code") || searchParams.has("error");
  if (!hasResult || (state !== null && !searchParams.has("state"))) return "it is incomplete; copy all of it";
  if (state !== null && searchParams.get("state") !== state) return "it belongs to another login";
  return undefined;
}
