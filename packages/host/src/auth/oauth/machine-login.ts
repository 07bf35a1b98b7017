/** Logs in without a user, with the client credentials in the definition of the server. Stores nothing on disk. */
import { HostError } from "@plugboard/contracts";
import type { LoginStatus, Clock } from "@plugboard/contracts";
import type { AuthRefusal, CredentialRequest } from "@plugboard/mcp";
import type { OAuthTokens } from "@plugboard/mcp/oauth";
import type { CredentialSource, HeaderFields } from "../credentials/credential-source.ts";
import { machineAuthFile, requestMachineTokens } from "./request-machine-tokens.ts";
import type { MachineAuth } from "./request-machine-tokens.ts";
import { oauthRejection } from "./oauth-rejection.ts";
import { AuthHeaders } from "./auth-headers.ts";
import { WatchedSecretFile } from "../credentials/watched-secret-file.ts";
import type { FileWatcher } from "../credentials/watched-secret-file.ts";
import { ProviderDiscovery } from "./provider-discovery.ts";

export interface MachineLoginOptions {
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly auth: MachineAuth;
  readonly account?: string | undefined;
  readonly clock: Clock;
  readonly watch: FileWatcher;
  /** Aborted when the host closes. */
  readonly closeSignal: AbortSignal;
}

/** How many times a server may demand more scope. */
const MAX_STEP_UPS = 3;

export class MachineLogin implements CredentialSource {
  readonly key: string;
  readonly #options: MachineLoginOptions;
  readonly #discovery: ProviderDiscovery;
  readonly #file: WatchedSecretFile | undefined;
  readonly #authHeaders: AuthHeaders;
  #tokens: OAuthTokens | undefined;
  /** The key, assertion or ID token that the file last contained. */
  #fileContent: string | undefined;
  /** The authorization server that issued the tokens. */
  #issuer: string | undefined;
  #obtainedAt = 0;
  /** The scope to request: the scope of the definition, and later also the scope that the server demands. */
  #scope: string | undefined;
  #stepUps = 0;
  #obtainingTokens: Promise<void> | undefined;

  constructor(options: MachineLoginOptions) {
    const { server, url, auth, clock, watch, closeSignal } = options;
    const file = machineAuthFile(auth);
    this.key = options.key;
    this.#options = options;
    this.#scope = auth.scope;
    this.#authHeaders = new AuthHeaders(clock);
    this.#file = file === undefined ? undefined : new WatchedSecretFile(file, watch);
    const idpTokenUrl = auth.type === "enterprise" ? auth.idpTokenUrl : undefined;
    this.#discovery = new ProviderDiscovery({
      server,
      url,
      clock,
      signal: closeSignal,
      configured: auth.tokenUrl === undefined ? undefined : { tokenUrl: auth.tokenUrl },
      idpTokenUrl,
    });
  }

  /** Sends no token until the server has refused a request for the first time. */
  headers(request: CredentialRequest): HeaderFields | Promise<HeaderFields> {
    return this.#isRefreshDue
      ? this.#obtainTokens().then(() => this.#authHeaders.headers(request))
      : this.#authHeaders.headers(request);
  }

  async onUnauthorized(refusal: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    if (this.#tokens && !this.#authHeaders.matches(sent)) return true;
    if (this.#authHeaders.recordNonce(refusal, sent)) return true;
    const challenge = await this.#discovery.handleChallenge(refusal.challenge);
    if (refusal.status === 403) await this.#stepUp(challenge.scope);
    await this.#obtainTokens();
    return true;
  }

  secrets(): readonly string[] {
    const { auth } = this.#options;
    const { accessToken, dpopKey } = this.#tokens ?? {};
    const idpClientSecret = auth.type === "enterprise" ? auth.idpClientSecret : undefined;
    return [accessToken, dpopKey?.d, auth.clientSecret, idpClientSecret, this.#fileContent].filter(
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

  get #isRefreshDue(): boolean {
    const { clock } = this.#options;
    const { oauth } = this.#discovery;
    if (!this.#tokens || !oauth) return false;
    return oauth.shouldRefresh(this.#tokens, clock.now(), this.#obtainedAt);
  }

  /** Concurrent callers share one request for tokens. */
  #obtainTokens(): Promise<void> {
    this.#obtainingTokens ??= this.#requestTokens()
      .catch((error: unknown) => {
        const code = oauthRejection(error);
        if (code === undefined) throw error;
        // The request fails again until the user corrects the definition or its file.
        throw this.#authRequired(`the authorization server rejects this client (${code})`, error);
      })
      .finally(() => void (this.#obtainingTokens = undefined));
    return this.#obtainingTokens;
  }

  async #requestTokens(): Promise<void> {
    const { auth, clock, server } = this.#options;
    const oauth = await this.#discovery.loadOAuth();
    const wasKeyBound = this.#tokens?.dpopKey !== undefined;
    // If the previous tokens were bound to a DPoP key, the new ones must be too.
    const provider = { ...(await this.#discovery.discover()), ...(wasKeyBound && { dpop: true }) };
    const { challenge } = this.#discovery;
    const scope = oauth.selectScope({
      ...(this.#scope !== undefined && { configured: this.#scope }),
      ...(challenge && { challenge }),
      provider,
    });
    const fileContent = await this.#readFile();
    // A secret that one authorization server has received is not sent to another.
    const issuer = this.#issuer;
    const ctx = await this.#discovery.context();
    const tokens = await requestMachineTokens(auth, { oauth, provider, fileContent, scope, issuer, ctx });
    if (wasKeyBound && !tokens.dpopKey) {
      throw new HostError("LOGIN_FAILED", { server, reason: "the new token is not bound to a key" });
    }
    this.#tokens = tokens;
    this.#issuer = provider.issuer;
    this.#obtainedAt = clock.now();
    this.#authHeaders.setTokens(tokens, oauth);
  }

  /** Returns the content of the file, or an empty string if the definition names no file. */
  async #readFile(): Promise<string> {
    if (!this.#file) return "";
    const { file } = this.#file;
    const text = await this.#file.read();
    if (typeof text !== "string") throw this.#authRequired(`the file ${file} can't be read: ${text.failure}`);
    if (text === "") throw this.#authRequired(`the file ${file} is empty`);
    return (this.#fileContent = text);
  }

  /** Adds the scope that the server demands to the scope of the next request for tokens. */
  async #stepUp(requiredScope: string | undefined): Promise<void> {
    const { stepUpScope } = await this.#discovery.loadOAuth();
    const scope = stepUpScope(this.#scope ?? this.#tokens?.scope, requiredScope);
    if (scope === undefined || this.#stepUps >= MAX_STEP_UPS) {
      throw this.#authRequired("it needs more scope than this client is granted");
    }
    this.#stepUps += 1;
    this.#scope = scope;
  }

  /** Starts to watch the file, so that the connection is opened again when the file changes. */
  #authRequired(reason: string, cause?: unknown): HostError {
    this.#file?.startWatching();
    return new HostError("AUTH_REQUIRED", { server: this.#options.server, reason, configured: true }, { cause });
  }
}
