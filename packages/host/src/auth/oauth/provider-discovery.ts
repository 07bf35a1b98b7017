/**
 * Discovers the authorization server of one MCP server. Discovery runs at the first use, and again after the server
 * refused a request.
 */
import type { Clock } from "@plugboard/contracts";
import type * as OAuthModule from "@plugboard/mcp/oauth";
import type { Challenge, ConfiguredEndpoints, OAuthContext, OAuthProvider } from "@plugboard/mcp/oauth";

export interface ProviderDiscoveryOptions {
  readonly server: string;
  readonly url: string;
  /** Endpoints that the definition names. */
  readonly configured?: ConfiguredEndpoints | undefined;
  /** The token endpoint of the organisation's identity provider, for `enterprise` logins. */
  readonly idpTokenUrl?: string | undefined;
  readonly clock: Clock;
  /** Aborts the discovery. */
  readonly signal: AbortSignal;
}

/** The OAuth module, which is loaded at the first use because most servers never need it. */
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

  /** Returns undefined until `loadOAuth` has resolved. */
  get oauth(): OAuth | undefined {
    return this.#oauth;
  }

  async loadOAuth(): Promise<OAuth> {
    return (this.#oauth ??= await import("@plugboard/mcp/oauth"));
  }

  /** Parses the challenge of a refused request. It may name another authorization server, so discovery starts over. */
  async handleChallenge(challenge: string | undefined): Promise<Challenge> {
    const { parseChallenge } = await this.loadOAuth();
    this.#provider = undefined;
    return (this.#challenge = parseChallenge(challenge));
  }

  /** The challenge of the last refused request. */
  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  /** The discovered authorization server, or undefined if discovery has not finished. */
  get cachedProvider(): OAuthProvider | undefined {
    return this.#provider;
  }

  /** Returns the context for requests to the authorization server. */
  async context(signal?: AbortSignal): Promise<OAuthContext> {
    const { server, url, clock, configured = {}, idpTokenUrl } = this.#options;
    const { createGuardedFetch } = await this.loadOAuth();
    // Endpoints that the user configured may be in a private network.
    const configuredUrls = [...Object.values(configured), idpTokenUrl].filter(
      (endpoint): endpoint is string => endpoint !== undefined,
    );
    this.#fetch ??= createGuardedFetch({ server, url, clock, configured: configuredUrls });
    return { server, fetch: this.#fetch, clock, ...(signal && { signal }) };
  }

  /** Returns the authorization server. Concurrent callers share one discovery. */
  discover(): Promise<OAuthProvider> {
    if (this.#provider) return Promise.resolve(this.#provider);
    this.#discovering ??= this.#fetchProvider().finally(() => void (this.#discovering = undefined));
    return this.#discovering;
  }

  async #fetchProvider(): Promise<OAuthProvider> {
    const { url, configured } = this.#options;
    const { discoverProvider } = await this.loadOAuth();
    const challenge = this.#challenge;
    const target = { url, ...(challenge && { challenge }), ...(configured && { configured }) };
    return (this.#provider = await discoverProvider(target, await this.context(this.#options.signal)));
  }
}
