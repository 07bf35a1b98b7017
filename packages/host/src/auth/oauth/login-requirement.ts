/** Decides whether a new login can help after a server refused a request, and builds the error for the caller. */
import { HostError } from "@plugboard/contracts";
import type { LoginReason } from "@plugboard/contracts";
import type { UserAuth } from "./user-auth.ts";
import type { ProviderDiscovery } from "./provider-discovery.ts";
import { StepUpScope } from "./step-up-scope.ts";

export interface LoginRequirementOptions {
  readonly server: string;
  readonly auth: UserAuth;
  readonly discovery: ProviderDiscovery;
  readonly redact: (error: unknown) => HostError;
}

/** After this many logins that the server refused, the user is no longer asked to log in. */
const MAX_UNACCEPTED_LOGINS = 3;

/** The cause of an AUTH_REQUIRED error that another login would not fix. */
const FINAL_CAUSE = { final: true };

/** Returns true for an AUTH_REQUIRED error that another login would not fix. */
export function isFinalAuthError(error: HostError): boolean {
  return error.cause === FINAL_CAUSE;
}

export class LoginRequirement {
  readonly #options: LoginRequirementOptions;
  readonly #stepUp = new StepUpScope();
  #reason: LoginReason = "first";
  /** The number of logins since the server last accepted a login. */
  #unacceptedLogins = 0;

  constructor(options: LoginRequirementOptions) {
    this.#options = options;
  }

  /** The reason to log in that a prompt shows to the user. */
  get reason(): LoginReason {
    return this.#reason;
  }

  /** The scope that the server demands in addition, if that is the reason to log in. */
  get demandedScope(): string | undefined {
    return this.#reason === "scope" ? this.#stepUp.pending : undefined;
  }

  /** True if the server refused several logins in a row. Then only an explicit login command starts another. */
  get isExhausted(): boolean {
    return this.#reason !== "scope" && this.#unacceptedLogins >= MAX_UNACCEPTED_LOGINS;
  }

  /**
   * Returns AUTH_REQUIRED for a server without a stored login, or LOGIN_NOT_OFFERED if it publishes no way to log in.
   */
  async missingLoginError(): Promise<HostError> {
    const { auth, server, discovery, redact } = this.#options;
    const loginRequired = this.#requireLogin(this.#reason === "expired" ? "expired" : "first");
    const hasConfiguredClient = auth.type === "oauth" && auth.clientId !== undefined;
    try {
      const { source } = await discovery.discover();
      if (source !== "defaults" || hasConfiguredClient) return loginRequired;
      const reason = "it publishes no metadata (a login would try the default endpoints of MCP 2025-03-26)";
      return new HostError("LOGIN_NOT_OFFERED", { server, reason });
    } catch (error) {
      const redacted = redact(error);
      // After a temporary failure of the discovery, a login may still work, because it repeats the discovery.
      return redacted.code === "LOGIN_UNSAFE" || redacted.code === "LOGIN_NOT_OFFERED" ? redacted : loginRequired;
    }
  }

  /** Returns the error for a login that has expired and can't be refreshed. */
  expiredLoginError(): HostError {
    return this.#requireLogin("expired", "the login has expired");
  }

  /** Returns the error for a request that needs more scope than the user has granted. */
  async insufficientScopeError(granted: string | undefined, demanded: string | undefined): Promise<HostError> {
    const oauth = await this.#options.discovery.loadOAuth();
    const shownScope = this.#stepUp.demand(oauth, granted, demanded);
    if (shownScope === undefined) return this.#finalError("it refuses the scope that you granted");
    return this.#requireLogin("scope", `it needs more scope than you granted: ${shownScope}`);
  }

  /**
   * Returns the scope for a new login. Includes a demanded scope only the first time, because the user may decline it.
   */
  takeScope(granted: string | undefined): string | undefined {
    return this.#stepUp.take(granted, { withPending: this.#reason === "scope" });
  }

  recordRequestedScope(scope: string | undefined): void {
    this.#stepUp.recordRequested(scope);
  }

  recordLogin(): void {
    if (this.#reason !== "scope") this.#unacceptedLogins += 1;
    this.#reason = "expired";
  }

  recordExpired(): void {
    this.#reason = "expired";
  }

  recordLogout(): void {
    this.#stepUp.clear();
    this.#reason = "first";
  }

  recordAccepted(): void {
    this.#unacceptedLogins = 0;
  }

  #requireLogin(reason: LoginReason, detail?: string): HostError {
    this.#reason = reason;
    if (this.isExhausted) return this.#finalError("it refuses every login");
    const { server } = this.#options;
    return new HostError("AUTH_REQUIRED", { server, ...(detail !== undefined && { reason: detail }) });
  }

  #finalError(reason: string): HostError {
    const { server } = this.#options;
    return new HostError("AUTH_REQUIRED", { server, reason }, { cause: FINAL_CAUSE });
  }
}
