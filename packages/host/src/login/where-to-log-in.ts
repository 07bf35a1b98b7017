/** Where to log in for one server: found when it is first needed, and anew when the server refuses what it was sent. */
import type { Clock } from "@plugboard/mcp";
import type * as OAuthModule from "@plugboard/mcp/oauth";
import type { Challenge, ConfiguredEndpoints, OAuthContext, OAuthProvider } from "@plugboard/mcp/oauth";

export interface WhereOptions {
  readonly server: string;
  readonly url: string;
  readonly configured?: ConfiguredEndpoints;
  /** What else is asked because the user says so. */
  readonly idpTokenUrl?: string | undefined;
  readonly clock: Clock;
  /** Fires when nobody wants to know any more. */
  readonly ended: AbortSignal;
}

/** Everything that speaks OAuth; loaded by the first who has to. */
export type OAuth = typeof OAuthModule;

export class WhereToLogIn {
  readonly #options: WhereOptions;
  #oauth: OAuth | undefined;
  #fetch: OAuthContext["fetch"] | undefined;
  #provider: OAuthProvider | undefined;
  #finding: Promise<OAuthProvider> | undefined;
  #challenge: Challenge | undefined;

  constructor(options: WhereOptions) {
    this.#options = options;
  }

  async oauth(): Promise<OAuth> {
    return (this.#oauth ??= await import("@plugboard/mcp/oauth"));
  }

  /** What the server said when it refused: it may name another place than before. */
  async heard(challenge: string | undefined): Promise<Challenge> {
    const { readChallenge } = await this.oauth();
    this.#provider = undefined;
    return (this.#challenge = readChallenge(challenge));
  }

  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  /** If it is known. */
  get found(): OAuthProvider | undefined {
    return this.#provider;
  }

  async context(signal?: AbortSignal): Promise<OAuthContext> {
    const { server, url, clock, configured = {}, idpTokenUrl } = this.#options;
    const { makeGuardedFetch } = await this.oauth();
    // What the user has named may be anywhere.
    const urls = [...Object.values(configured), idpTokenUrl].filter((one): one is string => one !== undefined);
    this.#fetch ??= makeGuardedFetch({ server, url, clock, configured: urls });
    return { server, fetch: this.#fetch, clock, ...(signal && { signal }) };
  }

  /** However many want to know, it is looked for once. */
  find(): Promise<OAuthProvider> {
    if (this.#provider) return Promise.resolve(this.#provider);
    this.#finding ??= this.#discover().finally(() => void (this.#finding = undefined));
    return this.#finding;
  }

  async #discover(): Promise<OAuthProvider> {
    const { url, configured } = this.#options;
    const { discover } = await this.oauth();
    const challenge = this.#challenge;
    const at = { url, ...(challenge && { challenge }), ...(configured && { configured }) };
    return (this.#provider = await discover(at, await this.context(this.#options.ended)));
  }
}
