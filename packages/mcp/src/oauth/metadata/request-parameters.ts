/** Optional parameters of authorization and token requests. */
import type { OAuthProvider } from "./oauth-provider.ts";

/** The resource that the token is for (RFC 8707). */
export function resourceParameter({ resource }: OAuthProvider): { resource?: string } {
  return resource === undefined ? {} : { resource };
}

export function scopeParameter(scope: string | undefined): { scope?: string } {
  return scope === undefined || scope === "" ? {} : { scope };
}
