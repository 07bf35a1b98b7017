/** Where to log in for one server: found when it is first needed, and anew when the server refuses what it was sent. */
import type { Clock } from "@plugboard/mcp";
import type * as OAuthModule from "@plugboard/mcp/oauth";
import type { Challenge, ConfiguredEndpoints, OAuthContext, OAuthProvider } from "@plugboard/mcp/oauth";

export interface ProviderDiscoveryOptions {
  readonly server: string;
  readonly url: string;
  readonly configured?: ConfiguredEndpoints;
  /** What else is asked because the user says so. */
  readonly idpTokenUrl?: string | undefined;
  readonly clock: Clock;
  /** Fires when nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** Everything that speaks OAuth; loaded by the first who has to. */
export type OAuth = typeof OAuthModule;

export class ProviderDiscovery {
  readonly #options: ProviderDiscoveryOptions;
  #oauth: OAuth | undefined;
  #fetch: OAuthContext["fetch"] | undefined;
  #provider: OAuthProvider | undefined;
  #discovering: Promise<OAuthProvider> | undefined;
  #challenge: Challenge | undefined;

  constructor(options: ProviderDiscoveryOptions) {
    this.#options = options;
  }

  async loadOAuth(): Promise<OAuth> {
    return (this.#oauth ??= await import("@plugboard/mcp/oauth"));
  }

  /** What the server said when it refused: it may name another place than before. */
  async handleChallenge(challenge: string | undefined): Promise<Challenge> {
    const { parseChallenge: readChallenge } = await this.loadOAuth();
    this.#provider = undefined;
    return (this.#challenge = readChallenge(challenge));
  }

  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  /** If it is known. */
  get cached(): OAuthProvider | undefined {
    return this.#provider;
  }

  async context(signal?: AbortSignal): Promise<OAuthContext> {
    const { server, url, clock, configured = {}, idpTokenUrl } = this.#options;
    const { createGuardedFetch: makeGuardedFetch } = await this.loadOAuth();
    // What the user has named may be anywhere.
    const urls = [...Object.values(configured), idpTokenUrl].filter((one): one is string => one !== undefined);
    this.#fetch ??= makeGuardedFetch({ server, url, clock, configured: urls });
    return { server, fetch: this.#fetch, clock, ...(signal && { signal }) };
  }

  /** However many want to know, it is looked for once. */
  discover(): Promise<OAuthProvider> {
    if (this.#provider) return Promise.resolve(this.#provider);
    this.#discovering ??= this.#fetchProvider().finally(() => void (this.#discovering = undefined));
    return this.#discovering;
  }

  async #fetchProvider(): Promise<OAuthProvider> {
    const { url, configured } = this.#options;
    const { discoverProvider: discover } = await this.loadOAuth();
    const challenge = this.#challenge;
    const at = { url, ...(challenge && { challenge }), ...(configured && { configured }) };
    return (this.#provider = await discover(at, await this.context(this.#options.signal)));
  }
}
