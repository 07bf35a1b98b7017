/**
 * Detects a server that no longer answers, because the network is down or the
 * process hangs. Pings it at intervals while it sends nothing, and at once after
 * a lost request. Two failed pings in a row mean that the server is dead.
 *
 * A server that handles a call, even a cancelled one, may be too busy to answer.
 * It is pinged during a call only after a call has timed out.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { Outcome } from "../session/outcome.ts";
import { isAuthError } from "../wire/is-auth-error.ts";

export interface HealthWatchOptions {
  readonly server: string;
  readonly clock: Clock;
  /** If absent, the server is pinged only after a lost request. */
  readonly intervalMs?: number | undefined;
  readonly timeoutMs: number;
  /** The pause before the second ping. */
  readonly retryMs: number;
  readonly ping: (signal: AbortSignal, secondTry: boolean) => Promise<void>;
  /** Returns whether the server may be working on a call. */
  readonly busy: () => boolean;
  /** Called at most once. */
  readonly onDead: (error: HostError) => void;
}

export class HealthWatch {
  readonly #options: HealthWatchOptions;
  #aliveSinceCheck = false;
  /** True if a call has timed out and the server has sent nothing since. */
  #overdue = false;
  #failures = 0;
  #pingAbort: AbortController | undefined;
  #stopTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Updates the health of the server from the outcome of a request. */
  observe(outcome: Outcome): void {
    if (outcome.type === "failed") this.onRequestFailed(outcome.error);
    else this.markAlive();
  }

  /** Skips the next ping, because the server has just answered. */
  markAlive(): void {
    this.#aliveSinceCheck = true;
    this.#overdue = false;
  }

  /** Pings at once if the failure may mean that the server is gone. */
  onRequestFailed(error: HostError): void {
    if (DEAD_CODES.has(error.code) || isAuthError(error)) this.#checkNow();
    else if (error.code === "REQUEST_TIMEOUT") this.#overdue = true;
    else if (error.peer) this.markAlive();
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer?.();
    this.#pingAbort?.abort();
  }

  #checkNow(): void {
    // After a failure, the second ping is already scheduled.
    if (this.#stopped || this.#pingAbort || this.#failures > 0) return;
    this.#stopTimer?.();
    void this.#check();
  }

  #schedule(): void {
    const { clock, intervalMs, retryMs } = this.#options;
    const delayMs = this.#failures > 0 ? retryMs : intervalMs;
    if (delayMs !== undefined) this.#stopTimer = clock.after(delayMs, () => this.#onTimer(), { background: true });
  }

  #onTimer(): void {
    if (this.#aliveSinceCheck) {
      this.#aliveSinceCheck = false;
      this.#failures = 0;
    } else if (this.#overdue || !this.#options.busy()) {
      return void this.#check();
    }
    this.#schedule();
  }

  async #check(): Promise<void> {
    this.#aliveSinceCheck = false;
    const error = await this.#ping();
    this.#pingAbort = undefined;
    if (this.#stopped) return;
    const dead = error !== undefined && DEAD_CODES.has(error.code) && !this.#aliveSinceCheck;
    this.#failures = dead ? this.#failures + 1 : 0;
    if (!dead) this.#overdue = false;
    if (error && (this.#failures >= 2 || isAuthError(error))) {
      this.stop();
      return this.#options.onDead(error);
    }
    this.#schedule();
  }

  #ping(): Promise<HostError | undefined> {
    const { server, clock, timeoutMs, ping } = this.#options;
    const abort = (this.#pingAbort = new AbortController());
    return new Promise((resolve) => {
      const timeoutError = new HostError("CONNECTION_LOST", { server, reason: `it did not answer in ${timeoutMs} ms` });
      const stopTimer = clock.after(timeoutMs, () => {
        resolve(timeoutError);
        abort.abort();
      });
      const end = (error?: HostError) => {
        stopTimer();
        resolve(error);
      };
      ping(abort.signal, this.#failures > 0).then(
        () => end(),
        (thrown: unknown) => end(toHostError(thrown)),
      );
    });
  }
}

/** All other errors prove that the server has answered. */
const DEAD_CODES: ReadonlySet<string> = new Set([
  "SERVER_UNREACHABLE",
  "CONNECTION_LOST",
  "TLS_FAILED",
  "SESSION_LOST",
] satisfies HostError["code"][]);
