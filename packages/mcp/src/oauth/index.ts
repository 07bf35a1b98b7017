export type { OAuthClient } from "./oauth-client.ts";
export type { OAuthContext, OAuthFetch, OAuthFetchInit } from "./oauth-context.ts";
export type { OAuthProvider } from "./oauth-provider.ts";
export type { Tokens } from "./tokens.ts";
