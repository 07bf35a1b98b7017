/**
 * The tokens of a login as requests show them. Most are shown by the same headers
 * each time. Those that are bound to a key take a proof of each request's own,
 * with whatever the server last wanted to see in it.
 */
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { OAuthTokens } from "@plugboard/mcp/oauth";
import { noHeaders } from "../credentials/credential-source.ts";
import type { OAuth } from "./provider-discovery.ts";

type HeaderFields = { readonly [name: string]: string };

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

  /** Whether it was these that were sent. */
  matches(sent: HeaderFields): boolean {
    return sent["authorization"] === this.#headers["authorization"];
  }

  /** Whether there was nothing wrong with what was sent but a nonce, which is known now. */
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
