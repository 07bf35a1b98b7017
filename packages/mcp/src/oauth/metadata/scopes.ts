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
const MAX_SCOPES = 200;
const MAX_LENGTH = 8 * 1024;

/** Nothing if nobody says: then it is for the authorization server to decide. */
export function selectScope({ configured, challenge, provider, granted }: ScopeSources): string | undefined {
  const initialScope = configured || challenge?.scope || provider.scopesSupported?.join(" ");
  // With something granted, more is asked for only because it was demanded.
  const scope = granted === undefined ? unionScopes(initialScope) : unionScopes(granted, configured, challenge?.scope);
  const offersOfflineAccess = provider.metadata.scopes_supported?.includes("offline_access");
  return scope !== undefined && offersOfflineAccess ? unionScopes(scope, "offline_access") : scope;
}

/** The union; nothing if what is wanted has been granted already, or is too much. */
export function stepUpScope(granted: string | undefined, wanted: string | undefined): string | undefined {
  const grantedScopes = new Set(parseScopes(granted));
  const newScopes = parseScopes(wanted).filter((scope) => !grantedScopes.has(scope));
  if (newScopes.length === 0) return undefined;
  const all = [...new Set([...grantedScopes, ...newScopes])];
  return all.length > MAX_SCOPES || all.join(" ").length > MAX_LENGTH ? undefined : all.join(" ");
}

/** What a program asks for. Nobody is here who could go away: some servers refuse to be asked for it. */
export function withoutOfflineAccess(scope: string | undefined): string | undefined {
  return unionScopes(...parseScopes(scope).filter((one) => one !== "offline_access"));
}

/** Each once, in the order they come; those that would be too much are left out. */
export function unionScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  let all = "";
  for (const scope of [...new Set(scopes.flatMap(parseScopes))].slice(0, MAX_SCOPES)) {
    if (all.length + 1 + scope.length <= MAX_LENGTH) all += all === "" ? scope : ` ${scope}`;
  }
  return all === "" ? undefined : all;
}

/** Those that are written as scopes are. */
function parseScopes(scope: string | undefined): string[] {
  return (scope ?? "").split(/\s+/).filter((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one));
}
