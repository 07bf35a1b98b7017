/** Decides which scopes to request. Pure. */
import type { Challenge } from "./challenge.ts";
import type { OAuthProvider } from "./oauth-provider.ts";

interface ScopeSources {
  /** The scope from the user's config. */
  readonly configured?: string | undefined;
  readonly challenge?: Challenge | undefined;
  readonly provider: OAuthProvider;
  /** Scopes granted earlier. They are requested again, so that they are not lost. */
  readonly granted?: string | undefined;
}

/** Limits a server that asks for more scopes each time. */
const MAX_SCOPES = 200;
const MAX_LENGTH = 8 * 1024;

/** Returns undefined if no source names a scope. The authorization server then decides. */
export function selectScope({ configured, challenge, provider, granted }: ScopeSources): string | undefined {
  const initialScope = configured || challenge?.scope || provider.scopesSupported?.join(" ");
  // Adds scopes to an existing grant only if the config or the challenge asks for them.
  const scope = granted === undefined ? unionScopes(initialScope) : unionScopes(granted, configured, challenge?.scope);
  const offersOfflineAccess = provider.metadata.scopes_supported?.includes("offline_access");
  return scope !== undefined && offersOfflineAccess ? unionScopes(scope, "offline_access") : scope;
}

/** Returns both scopes together. Returns undefined if `needed` is already granted or the result is too large. */
export function stepUpScope(granted: string | undefined, needed: string | undefined): string | undefined {
  const grantedScopes = new Set(parseScopes(granted));
  const newScopes = parseScopes(needed).filter((scope) => !grantedScopes.has(scope));
  if (newScopes.length === 0) return undefined;
  const scopes = [...new Set([...grantedScopes, ...newScopes])];
  return scopes.length > MAX_SCOPES || scopes.join(" ").length > MAX_LENGTH ? undefined : scopes.join(" ");
}

/** Removes `offline_access`, which makes no sense without a user. Some servers reject it. */
export function withoutOfflineAccess(scope: string | undefined): string | undefined {
  return unionScopes(...parseScopes(scope).filter((name) => name !== "offline_access"));
}

/** Returns each scope once, in order. Drops scopes over the limit. */
export function unionScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  let joined = "";
  for (const scope of [...new Set(scopes.flatMap(parseScopes))].slice(0, MAX_SCOPES)) {
    if (joined.length + 1 + scope.length <= MAX_LENGTH) joined += joined === "" ? scope : ` ${scope}`;
  }
  return joined === "" ? undefined : joined;
}

/** Drops names that are not valid scope tokens. */
function parseScopes(scope: string | undefined): string[] {
  return (scope ?? "").split(/\s+/).filter((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name));
}
