/**
 * A person's login at one server: sent with each request, renewed before it ends
 * or when it is refused, and made anew with the person's help. Several
 * connections, and several processes, share it: whoever renews it first does so
 * for all, and nobody forgets what another has just obtained.
 */
import { HostError, toHostError, Listeners } from "@plugboard/contracts";
import type { HostEventData, LoginReason, LoginStatus, LogoutReport } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/mcp";
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { OAuthClient } from "@plugboard/mcp/oauth";
import { createRedactor } from "../../redaction/redactor.ts";
import type { Auth } from "../../config/definition/definition.ts";
import type { CredentialSource } from "../credentials/credential-source.ts";
import { obtainTokens } from "./obtain-tokens.ts";
import type { LoginInteraction } from "./obtain-tokens.ts";
import { CurrentLogin } from "./current-login.ts";
import {
  clientFromRecord,
  secretsInRecord,
  statusFromRecord,
  tokensFromRecord,
  toLoginRecord,
} from "./convert-login-record.ts";
import type { LoginStore } from "../vault/login-store.ts";
import type { LoginRecord, LoginKey } from "../vault/login-record.ts";
import { oauthRejection } from "./oauth-rejection.ts";
import { AuthHeaders } from "./auth-headers.ts";
import { ProviderDiscovery } from "./provider-discovery.ts";
import type { OAuth } from "./provider-discovery.ts";

type HeaderFields = { readonly [name: string]: string };
export type UserAuth = Extract<Auth<string>, { type: "oauth" | "none" }>;

export interface OAuthLoginOptions {
  readonly key: string;
  /** How errors and questions call the server. */
  readonly server: string;
  /** By which it is kept. */
  readonly recordKey: LoginKey;
  readonly auth: UserAuth;
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  /** Fires when the host is closed. */
  readonly closeSignal: AbortSignal;
}

/** Who has not got its turn by then waits for somebody. */
const WAITING_NOTICE_MS = 1000;

/** From then on it takes somebody who asks for it. */
const MAX_UNACCEPTED_LOGINS = 3;
/** Between two attempts to renew what has not been refused. */
const RENEW_RETRY_MS = 30_000;

export class OAuthLogin implements CredentialSource {
  readonly key: string;
  readonly #options: OAuthLoginOptions;
  readonly #discovery: ProviderDiscovery;
  readonly #listeners = new Listeners();
  readonly #authHeaders: AuthHeaders;
  readonly #current: CurrentLogin;
  #oauth: OAuth | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #renewing: Promise<boolean> | undefined;
  /** When it was last tried to renew it before its end, in vain. */
  #renewFailedAt = -Infinity;
  #inProgress: Promise<void> | undefined;
  #reason: LoginReason = "first";
  /** All that was ever asked for, and what is to be asked for the next time. */
  #requestedScope: string | undefined;
  #stepUpScope: string | undefined;
  /** How often somebody has logged in since the server was last content with it. */
  #unacceptedLogins = 0;

  constructor(options: OAuthLoginOptions) {
    const { server, recordKey, auth, clock, store, emit, closeSignal } = options;
    this.key = options.key;
    this.#options = options;
    this.#authHeaders = new AuthHeaders(clock);
    this.#current = new CurrentLogin({
      key: recordKey,
      server,
      store,
      emit,
      isUsable: (login) => this.#isUsable(login),
      onChange: (login) => this.#updateHeaders(login),
      redact: (error) => this.#redacted(error),
    });
    const configured = auth.type === "oauth" ? configuredEndpoints(auth) : undefined;
    this.#discovery = new ProviderDiscovery({
      server,
      url: recordKey.resource,
      clock,
      signal: closeSignal,
      ...(configured && { configured }),
    });
  }

  headers(request: CredentialRequest): HeaderFields | Promise<HeaderFields> {
    if (!this.#loaded) return this.load().then(() => this.headers(request));
    if (!this.#renewalDue) return this.#authHeaders.headers(request);
    // Whatever comes of it: what is there may still be good, and the server says so if it is not.
    const currentHeaders = () => this.#authHeaders.headers(request);
    const keepCurrentHeaders = () => {
      this.#renewFailedAt = steadyNow(this.#options.clock);
      return currentHeaders();
    };
    return this.#renew(this.#current.record!.access_token).then(currentHeaders, keepCurrentHeaders);
  }

  async onUnauthorized(refusal: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    if (this.#current.isUnreadable) await this.reload();
    this.#current.throwIfUnreadable();
    // Others have renewed it meanwhile.
    if (this.#current.record && !this.#authHeaders.matches(sent)) return true;
    if (this.#authHeaders.recordNonce(refusal, sent)) return true;
    const challenge = await this.#discovery.handleChallenge(refusal.challenge);
    if (refusal.status === 403) throw await this.#scopeRequired(challenge.scope);
    const { record } = this.#current;
    if (!record) throw await this.#loginRequired();
    if (await this.#renew(record.access_token)) return true;
    throw this.#requireLogin("expired", "the login has ended");
  }

  /** Why somebody would have to log in now. */
  get reason(): LoginReason {
    return this.#reason;
  }

  /** What is known of it before it begins. */
  get details(): { readonly issuer?: string; readonly scope?: string } {
    const { cached } = this.#discovery;
    return {
      ...(cached && { issuer: cached.issuer }),
      ...(this.#reason === "scope" && this.#stepUpScope !== undefined && { scope: this.#stepUpScope }),
    };
  }

  /** The server was content with none of those that were made: whoever still wants one has to say so. */
  get isExhausted(): boolean {
    return this.#reason !== "scope" && this.#unacceptedLogins >= MAX_UNACCEPTED_LOGINS;
  }

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
    this.#unacceptedLogins = 0;
  }

  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  load(): Promise<void> {
    this.#loading ??= this.reload();
    return this.#loading;
  }

  /** Another process may have logged in, or out. */
  async reload(): Promise<void> {
    const changed = await this.#current.read();
    this.#loaded = true;
    if (changed) this.#listeners.emit();
  }

  /** Resolves when what is being renewed, or was obtained, is written down. */
  async whenSaved(): Promise<void> {
    await Promise.allSettled([this.#renewing, this.#current.whenSaved()]);
  }

  /** By the browser, or with a code. Whoever comes while that is under way waits for the same. */
  logIn(interaction: LoginInteraction): Promise<void> {
    if (this.#inProgress) this.#options.emit({ type: "login.waiting", server: this.#options.server });
    this.#inProgress ??= this.#logIn(interaction)
      .catch((error: unknown) => {
        throw this.#redacted(error);
      })
      .finally(() => void (this.#inProgress = undefined));
    return this.#inProgress;
  }

  /** Forgotten in any case; what the authorization server makes of it is told. */
  logOut(): Promise<LogoutReport> {
    // Who is just renewing it would write it down again.
    return this.#current.withLock("renew", () => this.#logOut());
  }

  async #logOut(): Promise<LogoutReport> {
    const { server, emit } = this.#options;
    const login = await this.#readCurrent();
    if (!login) return { forgotten: false, revoked: "no" };
    const revoked = await this.#revoke(login);
    await this.#current.remove();
    // Whoever logs out may go elsewhere, and for something else.
    this.#requestedScope = this.#stepUpScope = undefined;
    this.#reason = "first";
    emit({ type: "login.changed", server, change: "logged_out" });
    this.#listeners.emit();
    return { forgotten: true, revoked };
  }

  get #renewalDue(): boolean {
    const { record } = this.#current;
    if (!record || record.refresh_token === undefined || !this.#oauth) return false;
    // Not each request waits for an authorization server that is away: if what is there is refused, that will show.
    if (steadyNow(this.#options.clock) - this.#renewFailedAt < RENEW_RETRY_MS) return false;
    return this.#oauth.shouldRefresh(tokensFromRecord(record), this.#options.clock.now(), record.obtained_at);
  }

  /** Whether there is another token now. Rejects if that could not be found out. */
  #renew(rejectedToken: string): Promise<boolean> {
    this.#renewing ??= this.#current
      .withLock("renew", () => this.#renewLocked(rejectedToken))
      .catch((error: unknown) => {
        throw this.#redacted(error);
      })
      .finally(() => void (this.#renewing = undefined));
    return this.#renewing;
  }

  /** One process is at it at a time, so what is written down now is what there is. */
  async #renewLocked(rejectedToken: string): Promise<boolean> {
    const login = await this.#readCurrent();
    if (login && login.access_token !== rejectedToken) return true;
    if (login?.refresh_token === undefined) return false;
    const provider = await this.#discovery.discover();
    // What one authorization server has given is nothing to another.
    if (provider.issuer !== login.issuer) return false;
    const { refreshTokens } = await this.#discovery.loadOAuth();
    const client = this.#clientFor(login);
    const { recordKey, clock, server, emit } = this.#options;
    try {
      const tokens = await refreshTokens(provider, client, tokensFromRecord(login), await this.#discovery.context());
      await this.#current.save(toLoginRecord({ key: recordKey, provider, client, tokens, now: clock.now() }));
    } catch (error) {
      if (oauthRejection(error) === undefined) throw error;
      await this.#current.discardRejected(login);
      this.#reason = "expired";
      emit({ type: "login.changed", server, change: "expired" });
      return false;
    }
    emit({ type: "login.changed", server, change: "renewed" });
    return true;
  }

  /** What is there at this moment, in whatever process it was made. */
  async #readCurrent(): Promise<LoginRecord | undefined> {
    await this.reload();
    this.#current.throwIfUnreadable();
    return this.#current.record;
  }

  async #logIn(interaction: LoginInteraction): Promise<void> {
    const { recordKey, clock, server, emit, auth } = this.#options;
    await this.load();
    const previousToken = this.#current.record?.access_token;
    const lockOptions = { ...(interaction.signal && { signal: interaction.signal }), timeoutMs: Infinity };
    const cancelNotice = clock.after(WAITING_NOTICE_MS, () => emit({ type: "login.waiting", server }), true);
    await this.#current
      .withLock(
        "login",
        async () => {
          cancelNotice();
          const previous = await this.#readCurrent();
          // Another process was at it, and this one has waited for it.
          if (previous && previous.access_token !== previousToken) return;
          // What was demanded and declined is not slipped in with something else.
          const extraScope = joinScopes(
            previous?.scope,
            this.#requestedScope,
            this.#reason === "scope" ? this.#stepUpScope : undefined,
          );
          this.#stepUpScope = undefined;
          const previousGrant = {
            previousIssuer: this.#current.lastIssuer,
            ...(extraScope !== undefined && { extraScope }),
          };
          const obtained = await obtainTokens({
            discovery: this.#discovery,
            auth,
            previous,
            ...previousGrant,
            interaction,
          });
          this.#requestedScope = obtained.scope;
          // Who renews what there was before must not write over it.
          const login = toLoginRecord({ ...obtained, key: recordKey, now: clock.now() });
          await this.#current.withLock("renew", () => this.#current.save(login));
        },
        lockOptions,
      )
      .finally(cancelNotice);
    if (this.#reason !== "scope") this.#unacceptedLogins += 1;
    this.#reason = "expired";
    emit({ type: "login.changed", server, change: "logged_in" });
    this.#listeners.emit();
  }

  async #updateHeaders(login: LoginRecord | undefined): Promise<void> {
    if (!login) return this.#authHeaders.clear();
    // What most servers never need is not loaded for them.
    this.#oauth ??= await this.#discovery.loadOAuth();
    this.#authHeaders.setTokens(tokensFromRecord(login), this.#oauth);
  }

  /** One that was made as another client than the definition names now is none. */
  #isUsable({ client_id }: LoginRecord): boolean {
    const { auth } = this.#options;
    return auth.type !== "oauth" || auth.clientId === undefined || auth.clientId === client_id;
  }

  /** What the config has, the config keeps. */
  #clientFor(login: LoginRecord): OAuthClient {
    const { auth } = this.#options;
    const client = clientFromRecord(login);
    if (client.origin !== "configured" || auth.type !== "oauth" || auth.clientSecret === undefined) return client;
    return { ...client, clientSecret: auth.clientSecret };
  }

  async #revoke(login: LoginRecord): Promise<LogoutReport["revoked"]> {
    try {
      const provider = await this.#discovery.discover();
      if (provider.issuer !== login.issuer) return "no";
      const { revokeTokens } = await this.#discovery.loadOAuth();
      return await revokeTokens(
        provider,
        this.#clientFor(login),
        tokensFromRecord(login),
        await this.#discovery.context(),
      );
    } catch {
      // Told as "no": it is forgotten here whether or not it can be taken back there.
      return "no";
    }
  }

  /** Nobody is asked to log in where nothing says how. */
  async #loginRequired(): Promise<HostError> {
    const { auth, server } = this.#options;
    const required = this.#requireLogin(this.#reason === "expired" ? "expired" : "first");
    try {
      const { source } = await this.#discovery.discover();
      if (source !== "defaults" || (auth.type === "oauth" && auth.clientId !== undefined)) return required;
      const reason =
        "it publishes no metadata (`plugboard login` would try the addresses that were usual in 2025-03-26)";
      return new HostError("LOGIN_NOT_OFFERED", { server, reason });
    } catch (error) {
      const redacted = this.#redacted(error);
      // What is only away for now is looked for again by whoever logs in.
      return redacted.code === "LOGIN_UNSAFE" || redacted.code === "LOGIN_NOT_OFFERED" ? redacted : required;
    }
  }

  /** What was asked for once and is wanted again is not going to be granted. */
  async #scopeRequired(requiredScope: string | undefined): Promise<HostError> {
    const oauth = await this.#discovery.loadOAuth();
    const stepUpScope = oauth.stepUpScope(joinScopes(this.#current.record?.scope, this.#requestedScope), requiredScope);
    if (stepUpScope === undefined) return this.#authRequired("it refuses what was granted", true);
    this.#stepUpScope = stepUpScope;
    // As scopes are written, and no more of it than a person reads.
    const shownScope = oauth.stepUpScope(undefined, requiredScope)?.slice(0, 200);
    return this.#requireLogin("scope", `it wants more than was granted: ${shownScope}`);
  }

  #requireLogin(reason: LoginReason, why?: string): HostError {
    this.#reason = reason;
    if (this.isExhausted) return this.#authRequired("it refuses every login that is made", true);
    return this.#authRequired(why, false);
  }

  #authRequired(reason: string | undefined, final: boolean): HostError {
    const { server } = this.#options;
    const details = { server, ...(reason !== undefined && { reason }) };
    return new HostError("AUTH_REQUIRED", details, final ? { cause: FINAL_CAUSE } : undefined);
  }

  /** What an authorization server says may quote what it was sent. */
  #redacted(error: unknown): HostError {
    const hostError = toHostError(error);
    return createRedactor(this.secrets())?.error(hostError) ?? hostError;
  }
}

/** The cause of an AUTH_REQUIRED that another login would not help. */
const FINAL_CAUSE = { final: true };

export function isFinalAuthError(error: HostError): boolean {
  return error.cause === FINAL_CAUSE;
}

function configuredEndpoints({ authorizationUrl, tokenUrl, registrationUrl }: Extract<UserAuth, { type: "oauth" }>) {
  if (authorizationUrl === undefined && tokenUrl === undefined && registrationUrl === undefined) return undefined;
  return {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(registrationUrl !== undefined && { registrationUrl }),
  };
}

function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((one) => one !== "");
  return all.length === 0 ? undefined : [...new Set(all)].join(" ");
}
