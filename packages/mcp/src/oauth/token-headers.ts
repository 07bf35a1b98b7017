/** How a request to the server shows the tokens. */
import type { CredentialRequest } from "../transport/credentials.ts";
import type { WireHeaders } from "../wire/transport.ts";
import { dpopHeaders } from "./dpop.ts";
import type { Tokens } from "./tokens.ts";

export interface Showing extends CredentialRequest {
  /** What the server last wanted to see with it, if it did. */
  readonly nonce?: string | undefined;
  readonly now: number;
}

/** Anew for each request: of tokens that are bound to a key, each needs a proof of its own. */
export function tokenHeaders({ accessToken, tokenType, dpopKey }: Tokens, showing: Showing): WireHeaders {
  if (dpopKey) return dpopHeaders(dpopKey, { ...showing, accessToken });
  return { authorization: `${tokenType} ${accessToken}` };
}
