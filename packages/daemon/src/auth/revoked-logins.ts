/** Deletes the logins that principals with named tokens have made themselves, when their tokens no longer exist. */
import { toHostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import type { Host } from "@plugboard/host/core";
import { isTokenPrincipal, principalOf, readNamedTokens } from "@plugboard/host/tokens";

export interface RevokedLoginsOptions {
  readonly env: Env;
  readonly host: Pick<Host, "logOutPrincipals" | "events">;
}

export class RevokedLogins {
  readonly #options: RevokedLoginsOptions;
  #deleted = false;

  constructor(options: RevokedLoginsOptions) {
    this.#options = options;
  }

  /**
   * Deletes the logins of tokens that were revoked while no host was running. Later calls do nothing, because reading
   * the logins may unlock a keyring.
   */
  deleteOnce(): void {
    if (!this.#deleted) void this.delete();
  }

  /** Deletes nothing if the file of the tokens can't be read. */
  async delete(): Promise<void> {
    this.#deleted = true;
    const { env, host } = this.#options;
    try {
      const existing = new Set((await readNamedTokens(env)).map((token) => principalOf(token).id));
      await host.logOutPrincipals((id) => isTokenPrincipal(id) && !existing.has(id));
    } catch (thrown) {
      host.events.emit({ type: "state.failed", error: toHostError(thrown).toJSON() });
    }
  }
}
