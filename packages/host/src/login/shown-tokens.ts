/**
 * The tokens of a login as requests show them. Most are shown by the same headers
 * each time. Those that are bound to a key take a proof of each request's own,
 * with whatever the server last wanted to see in it.
 */
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { Tokens } from "@plugboard/mcp/oauth";
import { noHeaders } from "./access.ts";
import type { OAuth } from "./where-to-log-in.ts";

type Headers = { readonly [name: string]: string };

interface Bound {
  readonly tokens: Tokens;
  readonly oauth: OAuth;
}

export class ShownTokens {
  readonly #clock: Clock;
  #headers: Headers = noHeaders();
  #bound: Bound | undefined;
  #nonce: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  use(tokens: Tokens, oauth: OAuth): void {
    this.#headers = { authorization: `${tokens.tokenType} ${tokens.accessToken}` };
    this.#bound = tokens.dpopKey && { tokens, oauth };
  }

  useNone(): void {
    this.#headers = noHeaders();
    this.#bound = undefined;
  }

  headers(request: CredentialRequest): Headers {
    if (!this.#bound) return this.#headers;
    const { tokens, oauth } = this.#bound;
    return oauth.tokenHeaders(tokens, { ...request, nonce: this.#nonce, now: this.#clock.now() });
  }

  /** Whether it was these that were sent. */
  areIn(sent: Headers): boolean {
    return sent["authorization"] === this.#headers["authorization"];
  }

  /** Whether there was nothing wrong with what was sent but a nonce, which is known now. */
  learnNonce({ challenge, nonce }: AuthRefusal, sent: Headers): boolean {
    if (!this.#bound || nonce === undefined || nonce === nonceIn(sent)) return false;
    const { error } = this.#bound.oauth.readChallenge(challenge, "dpop");
    if (error !== "use_dpop_nonce") return false;
    this.#nonce = nonce;
    return true;
  }
}

function nonceIn({ dpop = "" }: Headers): unknown {
  const [, claims = ""] = dpop.split(".");
  return claims === "" ? undefined : JSON.parse(Buffer.from(claims, "base64url").toString()).nonce;
}
