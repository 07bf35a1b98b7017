/** What goes with every request for something. */
import type { OAuthProvider } from "./oauth-provider.ts";

/** For which server a token is to be (RFC 8707). */
export function resourceParameter({ resource }: OAuthProvider): { resource?: string } {
  return resource === undefined ? {} : { resource };
}

export function scopeParameter(scope: string | undefined): { scope?: string } {
  return scope === undefined || scope === "" ? {} : { scope };
}
