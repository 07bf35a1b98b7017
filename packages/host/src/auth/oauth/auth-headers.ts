/**
 * Builds the headers that carry an access token. A bearer token has the same header for each request. A DPoP token
 * needs a new proof for each request, with the nonce that the server last sent.
 */
import type { AuthRefusal, CredentialRequest } from "@plugboard/mcp";
import type { Clock } from "@plugboard/contracts";
import type { OAuthTokens } from "@plugboard/mcp/oauth";
import { noHeaders } from "../credentials/credential-source.ts";
import type { HeaderFields } from "../credentials/credential-source.ts";
import type { OAuth } from "./provider-discovery.ts";

interface DpopTokens {
  readonly tokens: OAuthTokens;
  readonly oauth: OAuth;
}

export class AuthHeaders {
  readonly #clock: Clock;
  #headers: HeaderFields = noHeaders();
  #dpop: DpopTokens | undefined;
  #nonce: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  setTokens(tokens: OAuthTokens, oauth: OAuth): void {
    this.#headers = { authorization: `${tokens.tokenType} ${tokens.accessToken}` };
    this.#dpop = tokens.dpopKey && { tokens, oauth };
  }

  clear(): void {
    this.#headers = noHeaders();
    this.#dpop = undefined;
  }

  headers(request: CredentialRequest): HeaderFields {
    if (!this.#dpop) return this.#headers;
    const { tokens, oauth } = this.#dpop;
    return oauth.tokenHeaders(tokens, { ...request, nonce: this.#nonce, now: this.#clock.now() });
  }

  /** Returns true if the sent headers carry the current token. */
  matches(sent: HeaderFields): boolean {
    return sent["authorization"] === this.#headers["authorization"];
  }

  /**
   * Stores the nonce that a server demands for DPoP proofs. Returns true if the request should be sent again with it.
   * Returns false for a nonce that the request already had.
   */
  recordNonce({ challenge, nonce }: AuthRefusal, sent: HeaderFields): boolean {
    if (!this.#dpop || nonce === undefined || nonce === readProofNonce(sent)) return false;
    const { error } = this.#dpop.oauth.parseChallenge(challenge, "dpop");
    if (error !== "use_dpop_nonce") return false;
    this.#nonce = nonce;
    return true;
  }
}

/** Reads the nonce from the claims of the DPoP proof, which is a JWT. Returns undefined without a proof or a nonce. */
function readProofNonce({ dpop: proof = "" }: HeaderFields): unknown {
  const [, claims = ""] = proof.split(".");
  return claims === "" ? undefined : JSON.parse(Buffer.from(claims, "base64url").toString()).nonce;
}
