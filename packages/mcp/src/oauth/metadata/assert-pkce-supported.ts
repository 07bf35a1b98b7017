/** Proof that whoever redeems a code is who asked for it. */
import { HostError } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";

/** A server that does not say it checks may not. Where nothing is published, nothing can be concluded. */
export function assertPkceSupported({ source, metadata, issuer }: OAuthProvider, { server }: OAuthContext): void {
  if (source !== "metadata" || metadata.code_challenge_methods_supported?.includes("S256")) return;
  const reason = `the authorization server ${describeValue(issuer)} does not say that it supports PKCE with S256`;
  throw new HostError("LOGIN_UNSAFE", { server, reason });
}
