/** How a request to the server shows the tokens. */
import type { CredentialRequest } from "../../transport/http/credentials.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { dpopHeaders } from "./dpop.ts";
import type { OAuthTokens } from "./oauth-tokens.ts";

export interface TokenHeadersRequest extends CredentialRequest {
  /** What the server last wanted to see with it, if it did. */
  readonly nonce?: string | undefined;
  readonly now: number;
}

/** Anew for each request: of tokens that are bound to a key, each needs a proof of its own. */
export function tokenHeaders(
  { accessToken, tokenType, dpopKey }: OAuthTokens,
  request: TokenHeadersRequest,
): WireHeaders {
  if (dpopKey) return dpopHeaders(dpopKey, { ...request, accessToken });
  return { authorization: `${tokenType} ${accessToken}` };
}
