/**
 * A user's login at one server. Adds the access token to each request, and logs in and out.
 * Connections with equal definitions share one OAuthLogin. Processes share the stored login.
 */
import { Listeners, toHostError } from "@plugboard/contracts";
import type { HostError, HostEventData, LoginReason, LoginStatus, LogoutReport, Clock } from "@plugboard/contracts";
import type { AuthRefusal, CredentialRequest } from "@plugboard/mcp";
import { createRedactor } from "@plugboard/config";
import type { CredentialSource, HeaderFields } from "../credentials/credential-source.ts";
import { ClientLogin } from "./client-login.ts";
import { obtainTokens } from "./obtain-tokens.ts";
import type { LoginInteraction } from "./obtain-tokens.ts";
import { CurrentLogin } from "./current-login.ts";
import { secretsInRecord, statusFromRecord, tokensFromRecord, toLoginRecord } from "./convert-login-record.ts";
import { LoginRequirement } from "./login-requirement.ts";
import type { LoginStore } from "../vault/login-store.ts";
import type { LoginRecord, LoginKey } from "../vault/login-record.ts";
import { AuthHeaders } from "./auth-headers.ts";
import { ProviderDiscovery } from "./provider-discovery.ts";
import { TokenRefresh } from "./token-refresh.ts";
import { acceptsClient, configuredEndpoints } from "./user-auth.ts";
import type { UserAuth } from "./user-auth.ts";

export interface OAuthLoginOptions {
  readonly key: string;
  /** The name of the server in errors and questions. */
  readonly server: string;
  /** Identifies the login in the store. */
  readonly recordKey: LoginKey;
  readonly auth: UserAuth;
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  /** Aborted when the host closes. */
  readonly closeSignal: AbortSignal;
}

/** If another process holds the lock for longer than this, `login.waiting` is emitted. */
const WAITING_NOTICE_MS = 1000;

export class OAuthLogin implements CredentialSource {
  readonly key: string;
  readonly #options: OAuthLoginOptions;
  readonly #discovery: ProviderDiscovery;
  readonly #listeners = new Listeners();
  readonly #authHeaders: AuthHeaders;
  readonly #current: CurrentLogin;
  readonly #refresh: TokenRefresh;
  readonly #requirement: LoginRequirement;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #inProgress: Promise<void> | undefined;
  #clientLogin: Promise<ClientLogin | undefined> | undefined;

  constructor(options: OAuthLoginOptions) {
    const { server, recordKey, auth, clock, store, emit, closeSignal } = options;
    const configured = configuredEndpoints(auth);
    const discovery = new ProviderDiscovery({
      server,
      url: recordKey.resource,
      clock,
      signal: closeSignal,
      configured,
    });
    const redact = (error: unknown) => this.#redacted(error);
    const current = new CurrentLogin({
      key: recordKey,
      server,
      store,
      emit,
      isUsable: ({ client_id }) => acceptsClient(auth, client_id),
      onChange: (login) => this.#updateHeaders(login),
      redact,
    });
    this.key = options.key;
    this.#options = options;
    this.#discovery = discovery;
    this.#current = current;
    this.#authHeaders = new AuthHeaders(clock);
    this.#requirement = new LoginRequirement({ server, auth, discovery, redact });
    this.#refresh = new TokenRefresh({
      server,
      recordKey,
      auth,
      clock,
      emit,
      discovery,
      current,
      redact,
      readCurrent: () => this.#readCurrent(),
      onExpired: () => this.#requirement.recordExpired(),
    });
  }

  headers(request: CredentialRequest): HeaderFields | Promise<HeaderFields> {
    if (!this.#loaded) return this.load().then(() => this.headers(request));
    if (!this.#refresh.isDue) return this.#authHeaders.headers(request);
    return this.#refresh.refreshEarly().then(() => this.#authHeaders.headers(request));
  }

  async onUnauthorized(refusal: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    if (this.#current.isUnreadable) await this.reload();
    this.#current.throwIfUnreadable();
    // The token was refreshed while the request was under way.
    if (this.#current.record && !this.#authHeaders.matches(sent)) return true;
    if (this.#authHeaders.recordNonce(refusal, sent)) return true;
    const challenge = await this.#discovery.handleChallenge(refusal.challenge);
    const login = this.#current.record;
    if (refusal.status === 403) throw await this.#requirement.insufficientScopeError(login?.scope, challenge.scope);
    if (!login) throw await this.#requirement.missingLoginError();
    if (await this.#refresh.refresh(login.access_token)) return true;
    throw this.#requirement.expiredLoginError();
  }

  /** The id of the principal that this login belongs to. Undefined for the owner. */
  get principal(): string | undefined {
    return this.#options.recordKey.principal?.id;
  }

  /** Why the user would have to log in now. */
  get reason(): LoginReason {
    return this.#requirement.reason;
  }

  /** Facts about the next login that are known before it starts. */
  get details(): { readonly issuer?: string; readonly scope?: string } {
    const { cachedProvider } = this.#discovery;
    const { demandedScope } = this.#requirement;
    return {
      ...(cachedProvider && { issuer: cachedProvider.issuer }),
      ...(demandedScope !== undefined && { scope: demandedScope }),
    };
  }

  /** True if the server refused several logins in a row. Then only an explicit login command starts another. */
  get isExhausted(): boolean {
    return this.#requirement.isExhausted;
  }

  /** The login that a user is performing now in this process. */
  get inProgress(): Promise<void> | undefined {
    return this.#inProgress;
  }

  secrets(): readonly string[] {
    const { auth } = this.#options;
    const configured = auth.type === "oauth" && auth.clientSecret !== undefined ? [auth.clientSecret] : [];
    return [...(this.#current.record ? secretsInRecord(this.#current.record) : []), ...configured];
  }

  status(): LoginStatus | undefined {
    return this.#current.record && statusFromRecord(this.#current.record);
  }

  markAccepted(): void {
    this.#requirement.recordAccepted();
  }

  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  load(): Promise<void> {
    return (this.#loading ??= this.reload());
  }

  /** Reads the stored login again, because another process may have logged in or out. */
  async reload(): Promise<void> {
    const changed = await this.#current.read();
    this.#loaded = true;
    if (changed) this.#listeners.emit();
  }

  /** Resolves when a refresh in progress has ended and its tokens are stored. */
  async whenSaved(): Promise<void> {
    await Promise.all([this.#refresh.whenIdle(), this.#current.whenSaved()]);
  }

  /** Logs in with a browser or a device code. Callers that come while a login is in progress wait for that login. */
  logIn(interaction: LoginInteraction): Promise<void> {
    if (this.#inProgress) this.#options.emit({ type: "login.waiting", server: this.#options.server });
    this.#inProgress ??= this.#logIn(interaction)
      .catch((error: unknown) => {
        throw this.#redacted(error);
      })
      .finally(() => void (this.#inProgress = undefined));
    return this.#inProgress;
  }

  /**
   * Starts a login that the principal performs in its own client, or returns the login in progress. Resolves to
   * undefined if another process has just logged in.
   */
  beginForClient(): Promise<ClientLogin | undefined> {
    if (this.#clientLogin) return this.#clientLogin;
    const { server, clock } = this.#options;
    const forget = () => void (this.#clientLogin = undefined);
    const begun = ClientLogin.begin(server, (interaction) => this.logIn(interaction).finally(forget), clock);
    return (this.#clientLogin = begun);
  }

  /** Cancels the login that the principal performs in its own client. */
  async cancelForClient(): Promise<void> {
    const begun = await this.#clientLogin?.catch(() => undefined);
    begun?.cancel();
    await begun?.done.catch(() => {});
  }

  /** Deletes the login, and revokes its tokens if the authorization server can be reached. */
  logOut(): Promise<LogoutReport> {
    // The lock keeps a refresh in progress from storing the login again.
    return this.#current.withLock("refresh", async () => {
      const { server, emit } = this.#options;
      const login = await this.#readCurrent();
      if (!login) return { forgotten: false, revoked: "no" };
      const revoked = await this.#refresh.revoke(login);
      await this.#current.remove();
      this.#requirement.recordLogout();
      emit({ type: "login.changed", server, change: "logged_out" });
      this.#listeners.emit();
      return { forgotten: true, revoked };
    });
  }

  async #logIn(interaction: LoginInteraction): Promise<void> {
    const { clock, server, emit } = this.#options;
    await this.load();
    const previousToken = this.#current.record?.access_token;
    const emitWaiting = () => emit({ type: "login.waiting", server });
    const cancelNotice = clock.after(WAITING_NOTICE_MS, emitWaiting, { background: true });
    const logInOnce = async () => {
      cancelNotice();
      const previous = await this.#readCurrent();
      // Another process logged in while this one waited for the lock.
      if (previous && previous.access_token !== previousToken) return;
      await this.#obtainLogin(interaction, previous);
    };
    await this.#current.withLock("login", logInOnce, { signal: interaction.signal }).finally(cancelNotice);
    this.#requirement.recordLogin();
    emit({ type: "login.changed", server, change: "logged_in" });
    this.#listeners.emit();
  }

  async #obtainLogin(interaction: LoginInteraction, previous: LoginRecord | undefined): Promise<void> {
    const { recordKey, clock, auth } = this.#options;
    const extraScope = this.#requirement.takeScope(previous?.scope);
    const obtained = await obtainTokens({
      discovery: this.#discovery,
      auth,
      previous,
      previousIssuer: this.#current.lastIssuer,
      extraScope,
      interaction,
    });
    this.#requirement.recordRequestedScope(obtained.scope);
    const login = toLoginRecord({ ...obtained, key: recordKey, now: clock.now() });
    // The lock keeps a refresh of the previous login from overwriting this one.
    await this.#current.withLock("refresh", () => this.#current.save(login));
  }

  async #readCurrent(): Promise<LoginRecord | undefined> {
    await this.reload();
    this.#current.throwIfUnreadable();
    return this.#current.record;
  }

  async #updateHeaders(login: LoginRecord | undefined): Promise<void> {
    if (!login) return this.#authHeaders.clear();
    this.#authHeaders.setTokens(tokensFromRecord(login), await this.#discovery.loadOAuth());
  }

  /** Masks secrets in an error: an authorization server may quote the tokens that it was sent. */
  #redacted(error: unknown): HostError {
    const hostError = toHostError(error);
    return createRedactor(this.secrets())?.error(hostError) ?? hostError;
  }
}
