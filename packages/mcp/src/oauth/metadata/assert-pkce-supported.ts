/** Requires PKCE, which binds an authorization code to the client that requested it. */
import { HostError } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";

/** Throws LOGIN_UNSAFE if the metadata does not list S256. Without metadata, PKCE is used but can't be checked. */
export function assertPkceSupported({ source, metadata, issuer }: OAuthProvider, { server }: OAuthContext): void {
  if (source !== "metadata" || metadata.code_challenge_methods_supported?.includes("S256")) return;
  const reason = `the authorization server ${describeValue(issuer)} does not say that it supports PKCE with S256`;
  throw new HostError("LOGIN_UNSAFE", { server, reason });
}
