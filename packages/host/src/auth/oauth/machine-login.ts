/** A program's own login, by what its definition has for that. Nobody is asked, and nothing is kept on disk. */
import { HostError } from "@plugboard/contracts";
import type { LoginStatus } from "@plugboard/contracts";
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { OAuthTokens } from "@plugboard/mcp/oauth";
import type { CredentialSource } from "../credentials/credential-source.ts";
import { grantInputFile, grantTokens } from "./grant-tokens.ts";
import type { MachineAuth } from "./grant-tokens.ts";
import { oauthRejection } from "./oauth-rejection.ts";
import { AuthHeaders } from "./auth-headers.ts";
import { WatchedSecretFile } from "../credentials/watched-secret-file.ts";
import type { FileWatcher } from "../credentials/watched-secret-file.ts";
import { ProviderDiscovery } from "./provider-discovery.ts";
import type { OAuth } from "./provider-discovery.ts";

type HeaderFields = { readonly [name: string]: string };

export interface MachineLoginOptions {
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly auth: MachineAuth;
  readonly account?: string | undefined;
  readonly clock: Clock;
  readonly watch: FileWatcher;
  /** Fires when the host is closed. */
  readonly closeSignal: AbortSignal;
}

/** How often a server may want more. */
const MAX_STEP_UPS = 3;

export class MachineLogin implements CredentialSource {
  readonly key: string;
  readonly #options: MachineLoginOptions;
  readonly #discovery: ProviderDiscovery;
  readonly #file: WatchedSecretFile | undefined;
  readonly #authHeaders: AuthHeaders;
  #oauth: OAuth | undefined;
  #tokens: OAuthTokens | undefined;
  /** What was last in the file. */
  #fileContent: string | undefined;
  #issuer: string | undefined;
  #obtainedAt = 0;
  #scope: string | undefined;
  #stepUps = 0;
  #obtaining: Promise<void> | undefined;

  constructor(options: MachineLoginOptions) {
    const { server, url, auth, clock, watch, closeSignal } = options;
    const file = grantInputFile(auth);
    this.key = options.key;
    this.#options = options;
    this.#scope = auth.scope;
    this.#authHeaders = new AuthHeaders(clock);
    this.#file = file === undefined ? undefined : new WatchedSecretFile(file, watch);
    const configured = auth.tokenUrl === undefined ? undefined : { tokenUrl: auth.tokenUrl };
    const idpTokenUrl = auth.type === "enterprise" ? auth.idpTokenUrl : undefined;
    this.#discovery = new ProviderDiscovery({
      server,
      url,
      clock,
      signal: closeSignal,
      ...(configured && { configured }),
      idpTokenUrl,
    });
  }

  /** Until the server wants a login, it is not asked for one. */
  headers(request: CredentialRequest): HeaderFields | Promise<HeaderFields> {
    return this.#renewalDue
      ? this.#obtain().then(() => this.#authHeaders.headers(request))
      : this.#authHeaders.headers(request);
  }

  async onUnauthorized(refusal: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    if (this.#tokens && !this.#authHeaders.matches(sent)) return true;
    if (this.#authHeaders.recordNonce(refusal, sent)) return true;
    const challenge = await this.#discovery.handleChallenge(refusal.challenge);
    if (refusal.status === 403) await this.#stepUp(challenge.scope);
    await this.#obtain();
    return true;
  }

  secrets(): readonly string[] {
    const { auth } = this.#options;
    const { accessToken, dpopKey } = this.#tokens ?? {};
    const idp = auth.type === "enterprise" ? auth.idpClientSecret : undefined;
    return [accessToken, dpopKey?.d, auth.clientSecret, idp, this.#fileContent].filter(
      (secret) => secret !== undefined,
    );
  }

  status(): LoginStatus | undefined {
    const { auth, account } = this.#options;
    const { scope, expiresAt, identity } = this.#tokens ?? {};
    if (!this.#tokens || this.#issuer === undefined) return undefined;
    return {
      ...(account !== undefined && { account }),
      user: (auth.type === "enterprise" ? identity : undefined) ?? auth.clientId,
      issuer: this.#issuer,
      ...(scope !== undefined && { scope }),
      ...(expiresAt !== undefined && { expiresAt }),
      renewable: true,
    };
  }

  onChanged(listener: () => void): () => void {
    return this.#file?.onChanged(listener) ?? (() => {});
  }

  get #renewalDue(): boolean {
    const { clock } = this.#options;
    return this.#tokens !== undefined && this.#oauth!.shouldRefresh(this.#tokens, clock.now(), this.#obtainedAt);
  }

  /** However many want it, it is asked for once. */
  #obtain(): Promise<void> {
    this.#obtaining ??= this.#requestTokens()
      .catch((error: unknown) => {
        const code = oauthRejection(error);
        if (code === undefined) throw error;
        // Asking again would be refused again, until somebody corrects the definition or what it names.
        throw this.#authRequired(`the authorization server refuses this client (${code})`, error);
      })
      .finally(() => void (this.#obtaining = undefined));
    return this.#obtaining;
  }

  async #requestTokens(): Promise<void> {
    const { auth, clock, server } = this.#options;
    const oauth = (this.#oauth = await this.#discovery.loadOAuth());
    const bound = this.#tokens?.dpopKey !== undefined;
    // What was bound to a key once is not had without one.
    const provider = { ...(await this.#discovery.discover()), ...(bound && { dpop: true }) };
    const { challenge } = this.#discovery;
    const scope = oauth.selectScope({
      ...(this.#scope !== undefined && { configured: this.#scope }),
      ...(challenge && { challenge }),
      provider,
    });
    const fileContent = await this.#readFile();
    // A secret that was once given to one is not for another that takes its place.
    const issuer = this.#issuer;
    const ctx = await this.#discovery.context();
    const tokens = await grantTokens(auth, { oauth, provider, fileContent, scope, issuer, ctx });
    if (bound && !tokens.dpopKey) {
      throw new HostError("LOGIN_FAILED", { server, reason: "its tokens are no longer bound to a key" });
    }
    this.#tokens = tokens;
    this.#issuer = provider.issuer;
    this.#obtainedAt = clock.now();
    this.#authHeaders.setTokens(tokens, oauth);
  }

  /** What is in the file of the definition now, if it names one. */
  async #readFile(): Promise<string> {
    if (!this.#file) return "";
    const { file } = this.#file;
    const text = await this.#file.read();
    if (typeof text !== "string") throw this.#authRequired(`${file} can't be had: ${text.why}`);
    if (text === "") throw this.#authRequired(`the file ${file} is empty`);
    return (this.#fileContent = text);
  }

  async #stepUp(requiredScope: string | undefined): Promise<void> {
    const { stepUpScope } = await this.#discovery.loadOAuth();
    const scope = stepUpScope(this.#scope ?? this.#tokens?.scope, requiredScope);
    if (scope === undefined || this.#stepUps >= MAX_STEP_UPS) {
      throw this.#authRequired("it wants more than this client is granted");
    }
    this.#stepUps += 1;
    this.#scope = scope;
  }

  #authRequired(reason: string, cause?: unknown): HostError {
    this.#file?.startWatching();
    return new HostError("AUTH_REQUIRED", { server: this.#options.server, reason, configured: true }, { cause });
  }
}
