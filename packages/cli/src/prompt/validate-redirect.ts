/**
 * What is wrong with an address that was pasted, as far as can be told here: then another is asked for, where the
 * host would end the login. Says nothing of what is in it, since that is a secret.
 */
import { parseUrl } from "@plugboard/contracts";
import type { LoginStep } from "@plugboard/contracts";

export type BrowserStep = Extract<LoginStep, { type: "browser" }>;

export function validateRedirect(pasted: string, { url, redirectUri }: BrowserStep): string | undefined {
  const [given, expected] = [parseUrl(pasted), new URL(redirectUri)];
  if (!given) return "it is no address";
  if (given.origin !== expected.origin || given.pathname !== expected.pathname) {
    return `the address that the browser ends at begins with ${redirectUri}`;
  }
  const { searchParams } = given;
  const state = parseUrl(url)?.searchParams.get("state") ?? null;
  const hasResult = searchParams.has("code") || searchParams.has("error");
  if (!hasResult || (state !== null && !searchParams.has("state"))) return "it is not whole: copy all of it";
  if (state !== null && searchParams.get("state") !== state) return "it belongs to another login";
  return undefined;
}
