/**
 * Detects a server that no longer answers, because the network is down or the
 * process hangs. Pings it at intervals while it sends nothing, and at once after
 * a lost request. Two failed pings in a row mean that the server is dead.
 *
 * A server that handles a call, even a cancelled one, may be too busy to answer.
 * It is pinged during a call only after a call has timed out.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import type { Outcome } from "../dialect/outcome.ts";
import { isAboutLogin } from "../wire/about-login.ts";

export interface HealthOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Without it the server is asked only if something looks wrong. */
  readonly intervalMs?: number | undefined;
  /** How long it may take to answer. */
  readonly timeoutMs: number;
  /** How soon it is asked a second time. */
  readonly againMs: number;
  readonly alive: (signal: AbortSignal, again: boolean) => Promise<void>;
  /** Returns whether the server may be working on a call. */
  readonly busy: () => boolean;
  /** Said at most once. */
  readonly onDead: (error: HostError) => void;
}

export class HealthWatch {
  readonly #options: HealthOptions;
  #heard = false;
  /** True if a call has timed out and the server has sent nothing since. */
  #overdue = false;
  #failures = 0;
  #check: AbortController | undefined;
  #stopTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** What becomes of a request tells how its server is. */
  async note(running: Promise<Outcome>): Promise<Outcome> {
    const outcome = await running;
    if (outcome.type === "failed") this.suspect(outcome.error);
    else this.heard();
    return outcome;
  }

  /** It has answered something: that is health enough for now. */
  heard(): void {
    this.#heard = true;
    this.#overdue = false;
  }

  /** A request came to nothing: looks into it, if that may be because the server is gone. */
  suspect(error: HostError): void {
    if (DEAD.has(error.code) || isAboutLogin(error)) this.#lookNow();
    else if (error.code === "REQUEST_TIMEOUT") this.#overdue = true;
    else if (error.peer) this.heard();
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer?.();
    this.#check?.abort();
  }

  #lookNow(): void {
    // While it is being looked into there is nothing to add.
    if (this.#stopped || this.#check || this.#failures > 0) return;
    this.#stopTimer?.();
    void this.#look();
  }

  #schedule(): void {
    const { clock, intervalMs, againMs } = this.#options;
    const inMs = this.#failures > 0 ? againMs : intervalMs;
    if (inMs !== undefined) this.#stopTimer = clock.after(inMs, () => this.#due(), true);
  }

  #due(): void {
    if (this.#heard) {
      this.#heard = false;
      this.#failures = 0;
    } else if (this.#overdue || !this.#options.busy()) {
      return void this.#look();
    }
    this.#schedule();
  }

  async #look(): Promise<void> {
    this.#heard = false;
    const error = await this.#ask();
    this.#check = undefined;
    if (this.#stopped) return;
    const dead = error !== undefined && DEAD.has(error.code) && !this.#heard;
    this.#failures = dead ? this.#failures + 1 : 0;
    if (!dead) this.#overdue = false;
    if (error && (this.#failures >= 2 || isAboutLogin(error))) {
      this.stop();
      return this.#options.onDead(error);
    }
    this.#schedule();
  }

  #ask(): Promise<HostError | undefined> {
    const { server, clock, timeoutMs, alive } = this.#options;
    const check = (this.#check = new AbortController());
    return new Promise((resolve) => {
      const late = new HostError("CONNECTION_LOST", { server, reason: `it did not answer in ${timeoutMs} ms` });
      const stopTimer = clock.after(timeoutMs, () => {
        resolve(late);
        check.abort();
      });
      const end = (error?: HostError) => {
        stopTimer();
        resolve(error);
      };
      alive(check.signal, this.#failures > 0).then(
        () => end(),
        (thrown: unknown) => end(toHostError(thrown)),
      );
    });
  }
}

/** Whatever else goes wrong, somebody has answered. */
const DEAD: ReadonlySet<string> = new Set([
  "SERVER_UNREACHABLE",
  "CONNECTION_LOST",
  "TLS_FAILED",
  "SESSION_LOST",
] satisfies HostError["code"][]);
