/**
 * Refreshes and revokes the tokens of a user's login. A refresh token is often valid only once, so only one process
 * refreshes at a time. The other processes use its result.
 */
import type { HostEventData, LogoutReport, Clock } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/contracts";
import type { OAuthClient } from "@plugboard/mcp/oauth";
import { clientFromRecord, tokensFromRecord, toLoginRecord } from "./convert-login-record.ts";
import type { CurrentLogin } from "./current-login.ts";
import type { LoginKey, LoginRecord } from "../vault/login-record.ts";
import type { LoginRequirementOptions } from "./login-requirement.ts";
import { oauthRejection } from "./oauth-rejection.ts";

export interface TokenRefreshOptions extends LoginRequirementOptions {
  readonly recordKey: LoginKey;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  readonly current: CurrentLogin;
  /** Reads the stored login, which another process may have changed. Throws if it can't be read. */
  readonly readCurrent: () => Promise<LoginRecord | undefined>;
  /** Called when the authorization server rejects the refresh token. */
  readonly onExpired: () => void;
}

/** The minimum time between two attempts to refresh a token that has not expired yet. */
const RETRY_DELAY_MS = 30_000;

export class TokenRefresh {
  readonly #options: TokenRefreshOptions;
  #inProgress: Promise<boolean> | undefined;
  #failedAt = -Infinity;

  constructor(options: TokenRefreshOptions) {
    this.#options = options;
  }

  /** True if the access token expires soon. False for a while after a failed attempt, so that requests don't wait. */
  get isDue(): boolean {
    const { current, discovery, clock } = this.#options;
    const { record } = current;
    if (!record || record.refresh_token === undefined || !discovery.oauth) return false;
    if (steadyNow(clock) - this.#failedAt < RETRY_DELAY_MS) return false;
    return discovery.oauth.shouldRefresh(tokensFromRecord(record), clock.now(), record.obtained_at);
  }

  /** Refreshes a token before it expires. Never rejects, because the server may still accept the old token. */
  async refreshEarly(): Promise<void> {
    const { current, clock } = this.#options;
    try {
      if (current.record) await this.refresh(current.record.access_token);
    } catch {
      this.#failedAt = steadyNow(clock);
    }
  }

  /**
   * Resolves with true if there is another access token now, with false if the user has to log in.
   * Rejects if the authorization server can't be reached.
   */
  refresh(oldToken: string): Promise<boolean> {
    const { current, redact } = this.#options;
    this.#inProgress ??= current
      .withLock("refresh", () => this.#refreshLocked(oldToken))
      .catch((error: unknown) => {
        throw redact(error);
      })
      .finally(() => void (this.#inProgress = undefined));
    return this.#inProgress;
  }

  /** Resolves when the refresh in progress has ended, whether it succeeded or failed. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled([this.#inProgress]);
  }

  /** Revokes the tokens at the authorization server. Returns "no" instead of rejecting. */
  async revoke(login: LoginRecord): Promise<LogoutReport["revoked"]> {
    const { discovery } = this.#options;
    try {
      const provider = await discovery.discover();
      if (provider.issuer !== login.issuer) return "no";
      const { revokeTokens } = await discovery.loadOAuth();
      return await revokeTokens(provider, this.#clientOf(login), tokensFromRecord(login), await discovery.context());
    } catch {
      // Logging out deletes the login here even if the authorization server can't be reached.
      return "no";
    }
  }

  async #refreshLocked(oldToken: string): Promise<boolean> {
    const { discovery, current, recordKey, clock, server, emit, readCurrent, onExpired } = this.#options;
    const login = await readCurrent();
    // Another process has refreshed the token.
    if (login && login.access_token !== oldToken) return true;
    if (login?.refresh_token === undefined) return false;
    const provider = await discovery.discover();
    // A token is never sent to an authorization server that did not issue it.
    if (provider.issuer !== login.issuer) return false;
    const { refreshTokens } = await discovery.loadOAuth();
    const client = this.#clientOf(login);
    try {
      const tokens = await refreshTokens(provider, client, tokensFromRecord(login), await discovery.context());
      await current.save(toLoginRecord({ key: recordKey, provider, client, tokens, now: clock.now() }));
    } catch (error) {
      if (oauthRejection(error) === undefined) throw error;
      await current.discardRejected(login);
      onExpired();
      emit({ type: "login.changed", server, change: "expired" });
      return false;
    }
    emit({ type: "login.changed", server, change: "refreshed" });
    return true;
  }

  /** Adds the client secret of the definition, because a record never contains the secret of a configured client. */
  #clientOf(login: LoginRecord): OAuthClient {
    const { auth } = this.#options;
    const client = clientFromRecord(login);
    if (client.origin !== "configured" || auth.type !== "oauth" || auth.clientSecret === undefined) return client;
    return { ...client, clientSecret: auth.clientSecret };
  }
}
