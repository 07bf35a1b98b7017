/**
 * Builds the headers that carry an access token. A bearer token has the same header for each request. A DPoP token
 * needs a new proof for each request, with the nonce that the server last sent.
 */
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
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

  /** Stores the nonce of a refusal. Returns true if the server refused the request only for its nonce. */
  recordNonce({ challenge, nonce }: AuthRefusal, sent: HeaderFields): boolean {
    if (!this.#dpop || nonce === undefined || nonce === readProofNonce(sent)) return false;
    const { error } = this.#dpop.oauth.parseChallenge(challenge, "dpop");
    if (error !== "use_dpop_nonce") return false;
    this.#nonce = nonce;
    return true;
  }
}

function readProofNonce({ dpop = "" }: HeaderFields): unknown {
  const [, claims = ""] = dpop.split(".");
  return claims === "" ? undefined : JSON.parse(Buffer.from(claims, "base64url").toString()).nonce;
}
