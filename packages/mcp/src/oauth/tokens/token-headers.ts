/** Builds the authorization headers for a request to the MCP server. */
import type { CredentialRequest } from "../../transport/http/credentials.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { dpopHeaders } from "./dpop.ts";
import type { OAuthTokens } from "./oauth-tokens.ts";

interface TokenHeadersRequest extends CredentialRequest {
  /** The last DPoP nonce that the server sent, if any. */
  readonly nonce?: string | undefined;
  readonly now: number;
}

/** Must be called for each request, because a DPoP proof may be used only once. */
export function tokenHeaders(
  { accessToken, tokenType, dpopKey }: OAuthTokens,
  request: TokenHeadersRequest,
): WireHeaders {
  if (dpopKey) return dpopHeaders(dpopKey, { ...request, accessToken });
  return { authorization: `${tokenType} ${accessToken}` };
}
