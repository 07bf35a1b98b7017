/**
 * Lets calls wait while a server may be applying new roots. Servers request the roots right after the handshake and
 * after each change. Some then use them instead of the folders in their command line. A call at that moment could run
 * with the old or the new folders. The protocol does not tell the client when the roots are applied, so calls wait for
 * a round trip and a short time.
 */
import type { Clock } from "@plugboard/contracts";

export interface RootsExchangeOptions {
  readonly clock: Clock;
  /** Resolves when the server answers, which shows that it has read all earlier messages. Rejects if it does not. */
  readonly ping: (timeoutMs: number) => Promise<unknown>;
}

/** Some servers ignore a ping. */
const PING_TIMEOUT_MS = 1000;
/** Long enough for a server to look at the folders. */
const APPLY_MS = 30;

export class RootsExchange {
  readonly #options: RootsExchangeOptions;
  #pending: Promise<void> | undefined;

  constructor(options: RootsExchangeOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the server has had time to apply the roots. Undefined if it has no new roots to apply. Never rejects.
   */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  /** Called when the notification of changed roots is being sent. `sent` resolves when that is done. */
  onNotified(sent: Promise<unknown>): void {
    this.onAnswered(sent);
  }

  /** Called when the answer to `roots/list` is being sent. `sent` resolves when that is done. */
  onAnswered(sent: Promise<unknown>): void {
    const applied = this.#waitUntilApplied(sent).then(() => {
      if (this.#pending === applied) this.#pending = undefined;
    });
    this.#pending = applied;
  }

  async #waitUntilApplied(sent: Promise<unknown>): Promise<void> {
    const { clock, ping } = this.#options;
    try {
      await sent;
      await ping(PING_TIMEOUT_MS);
    } catch {
      // The server did not get the roots, ignores pings, or is gone. If it is gone, the call itself fails.
    }
    await new Promise<void>((resolve) => clock.after(APPLY_MS, resolve, { background: true }));
  }
}
