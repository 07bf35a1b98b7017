/**
 * Keeps one link open for as long as it is wanted: performs what the state calls
 * for and states the facts that come of it. What a link is, and how one is
 * opened and closed, is its owner's. One attempt runs at a time, however many
 * wait for it, and a link is closed before the next one is opened.
 */
import { cancelled, HostError, toHostError } from "@plugboard/contracts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import { IDLE, step } from "./connection-state.ts";
import type { ConnectionFact, ConnectionState, ReconnectPolicy } from "./connection-state.ts";

export interface ConnectAttempt {
  /** Fires when the attempt is given up; the reason is a `HostError`. */
  readonly signal: AbortSignal;
  /** The link is no good: ends the attempt while it still runs, and the link afterwards. */
  readonly fail: (error: HostError) => void;
}

export interface ReconnectLoopOptions<Link> {
  readonly server: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy: ReconnectPolicy;
  /** How long a link must last to be a good one. */
  readonly stableAfterMs: number;
  readonly open: (attempt: ConnectAttempt) => Promise<Link>;
  readonly close: (link: Link) => Promise<void>;
  /** Told before anybody who waits for a link goes on. */
  readonly onChanged: (state: ConnectionState) => void;
}

interface Waiter<Link> {
  readonly resolve: (link: Link) => void;
  readonly reject: (error: HostError) => void;
}

export class ReconnectLoop<Link> {
  readonly #options: ReconnectLoopOptions<Link>;
  readonly #waiters = new Set<Waiter<Link>>();
  #state: ConnectionState = IDLE;
  #link: Link | undefined;
  #abort: AbortController | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #closing: Promise<void> = Promise.resolve();
  #stopTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: ReconnectLoopOptions<Link>) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Present exactly while the state is `ready`. */
  get link(): Link | undefined {
    return this.#link;
  }

  /**
   * The link, opening it if need be. Who waits while an attempt runs is told how that one ended; who waits in a pause
   * is told how the next one does. Giving up waiting stops nobody else.
   */
  ready(signal?: AbortSignal): Promise<Link> {
    if (this.#link) return Promise.resolve(this.#link);
    if (this.#stopped) return Promise.reject(this.#closedError());
    if (this.#state.phase === "error" || this.#state.phase === "auth_required") {
      return Promise.reject(this.#state.error);
    }
    if (signal?.aborted) return Promise.reject(cancelled());
    const link = this.#wait(signal);
    this.#apply({ type: "wanted" });
    return link;
  }

  /** At once, whatever went wrong before. */
  retry(signal?: AbortSignal): Promise<Link> {
    if (!this.#stopped) this.#apply({ type: "retried" });
    return this.ready(signal);
  }

  /** Closes a link that nobody uses. The next one who wants it opens another. */
  disconnect(): void {
    this.#apply({ type: "unused", attempt: this.#state.attempt });
  }

  /** For good. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#apply({ type: "stopped" });
    this.#abort?.abort(this.#closedError());
    await this.#attempt;
    for (const { reject } of this.#takeWaiters()) reject(this.#closedError());
    await this.#closing;
  }

  #apply(fact: ConnectionFact): void {
    const before = this.#state;
    const state = step(before, fact, this.#options.policy);
    if (state === before) return;
    this.#state = state;
    if (state.phase === before.phase && state.attempt === before.attempt) return;
    this.#stopTimer?.();
    this.#enter(state);
    this.#options.onChanged(state);
  }

  #enter(state: ConnectionState): void {
    const { clock, stableAfterMs } = this.#options;
    const { attempt } = state;
    if (state.phase !== "ready") this.#closeLink();
    if (state.phase === "connecting") {
      this.#attempt = this.#runAttempt(attempt);
    } else if (state.phase === "waiting") {
      this.#stopTimer = clock.after(state.retryAt - steadyNow(clock), () => this.#apply({ type: "due", attempt }));
    } else if (state.phase === "ready") {
      this.#stopTimer = clock.after(stableAfterMs, () => this.#apply({ type: "settled", attempt }), true);
    }
  }

  async #runAttempt(attempt: number): Promise<void> {
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    const fail = (error: HostError) => (this.#link ? this.#attemptFailed(attempt, error) : abort.abort(error));
    try {
      await this.#closing;
      signal.throwIfAborted();
      const link = await this.#options.open({ signal, fail });
      if (signal.aborted) {
        await this.#options.close(link);
        signal.throwIfAborted();
      }
      this.#link = link;
      const waiters = this.#takeWaiters();
      this.#apply({ type: "opened", attempt });
      for (const { resolve } of waiters) resolve(link);
    } catch (thrown) {
      const error = toHostError(signal.aborted ? signal.reason : thrown);
      const waiters = this.#takeWaiters();
      this.#attemptFailed(attempt, error);
      for (const { reject } of waiters) reject(error);
    }
  }

  #attemptFailed(attempt: number, error: HostError): void {
    const { clock, random } = this.#options;
    this.#apply({ type: "failed", attempt, error, at: steadyNow(clock), random: random() });
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined) return;
    // That it can't be closed properly is no reason not to open another.
    this.#closing = this.#options.close(link).catch(() => {});
  }

  #wait(signal: AbortSignal | undefined): Promise<Link> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = () => waiter.reject(cancelled());
      const waiter: Waiter<Link> = {
        resolve: (link) => (done(), resolve(link)),
        reject: (error) => (done(), reject(error)),
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Who comes to wait while these are told waits for what comes next. */
  #takeWaiters(): Waiter<Link>[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    return waiters;
  }

  #closedError(): HostError {
    return new HostError("CONNECTION_CLOSED", { server: this.#options.server });
  }
}
