/** What to ask for. Pure. */
import type { Challenge } from "./challenge.ts";
import type { OAuthProvider } from "./oauth-provider.ts";

export interface ScopeSources {
  /** What the user set. */
  readonly configured?: string | undefined;
  readonly challenge?: Challenge | undefined;
  readonly provider: OAuthProvider;
  /** What has been granted before, and is not to be lost. */
  readonly granted?: string | undefined;
}

/** A server that always wants one more comes to an end here. */
const MOST = 200;
const LONGEST = 8 * 1024;

/** Nothing if nobody says: then it is for the authorization server to decide. */
export function selectScope({ configured, challenge, provider, granted }: ScopeSources): string | undefined {
  const first = configured || challenge?.scope || provider.scopesSupported?.join(" ");
  // With something granted, more is asked for only because it was demanded.
  const scope = granted === undefined ? union(first) : union(granted, configured, challenge?.scope);
  const canStay = provider.metadata.scopes_supported?.includes("offline_access");
  return scope !== undefined && canStay ? union(scope, "offline_access") : scope;
}

/** The union; nothing if what is wanted has been granted already, or is too much. */
export function stepUp(granted: string | undefined, wanted: string | undefined): string | undefined {
  const had = new Set(scopesOf(granted));
  const fresh = scopesOf(wanted).filter((scope) => !had.has(scope));
  if (fresh.length === 0) return undefined;
  const all = [...new Set([...had, ...fresh])];
  return all.length > MOST || all.join(" ").length > LONGEST ? undefined : all.join(" ");
}

/** What a program asks for. Nobody is here who could go away: some servers refuse to be asked for it. */
export function unattended(scope: string | undefined): string | undefined {
  return union(...scopesOf(scope).filter((one) => one !== "offline_access"));
}

/** Each once, in the order they come; those that would be too much are left out. */
export function union(...scopes: readonly (string | undefined)[]): string | undefined {
  let all = "";
  for (const scope of [...new Set(scopes.flatMap(scopesOf))].slice(0, MOST)) {
    if (all.length + 1 + scope.length <= LONGEST) all += all === "" ? scope : ` ${scope}`;
  }
  return all === "" ? undefined : all;
}

/** Those that are written as scopes are. */
function scopesOf(scope: string | undefined): string[] {
  return (scope ?? "").split(/\s+/).filter((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one));
}
