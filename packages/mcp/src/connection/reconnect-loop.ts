/**
 * Opens a link and reopens it when it is lost: reports events to `connection-state.ts` and performs the effects of each
 * new state. Runs one attempt at a time for all waiting callers, and closes a link before it opens the next. The class
 * that owns the loop defines what a link is.
 */
import { cancelled, HostError, toHostError, steadyNow } from "@plugboard/contracts";
import type { CancelSignal, Clock } from "@plugboard/contracts";
import { IDLE, step } from "./connection-state.ts";
import type { ConnectionEvent, ConnectionState, ReconnectPolicy } from "./connection-state.ts";

export interface ConnectAttempt {
  /** Aborts when the attempt is cancelled. The reason is a `HostError`. */
  readonly signal: AbortSignal;
  /** Fails the running attempt, or closes the link that it has opened. */
  readonly fail: (error: HostError) => void;
  /** Returns true while at least one caller waits for the link in the foreground. */
  readonly isAwaited: () => boolean;
}

export interface WaitOptions {
  readonly signal?: CancelSignal | undefined;
  /** True if other servers may start first. */
  readonly background?: boolean | undefined;
}

export interface ReconnectLoopOptions<Link> {
  readonly server: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy: ReconnectPolicy;
  /** How long a link must stay open to reset the failure count. */
  readonly stableAfterMs: number;
  readonly open: (attempt: ConnectAttempt) => Promise<Link>;
  readonly close: (link: Link) => Promise<void>;
  /** Returns true if a call was answered over the link. Losing such a link is not counted as a crash. */
  readonly hasServed: (link: Link) => boolean;
  /** Called before the waiting callers continue. */
  readonly onChanged: (state: ConnectionState) => void;
}

interface Waiter<Link> {
  readonly background: boolean;
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

  /** Defined only while the state is `ready`. */
  get link(): Link | undefined {
    return this.#link;
  }

  /**
   * Returns the link, and opens it if needed. A caller that waits during an attempt gets the result of that attempt. A
   * caller that waits between attempts gets the result of the next one. The signal ends only this caller's wait. After
   * too many failures, a caller starts an attempt only if the last one was long enough ago. Otherwise it gets the
   * error.
   */
  ready({ signal, background = false }: WaitOptions = {}): Promise<Link> {
    if (this.#link) return Promise.resolve(this.#link);
    if (this.#stopped) return Promise.reject(this.#closedError());
    // A caller that has already given up starts no attempt.
    if (!signal?.aborted) this.#apply({ type: "requested", time: steadyNow(this.#options.clock) });
    if (this.#state.phase === "error" || this.#state.phase === "auth_required") {
      return Promise.reject(this.#state.error);
    }
    return signal?.aborted ? Promise.reject(cancelled()) : this.#wait(signal, background);
  }

  /** Starts an attempt at once, also after earlier failures. */
  retry(options?: WaitOptions): Promise<Link> {
    if (!this.#stopped) this.#apply({ type: "retried" });
    return this.ready(options);
  }

  /** Closes the link of an unused server. The next `ready` opens a new one. */
  disconnect(): void {
    this.#apply({ type: "unused", attempt: this.#state.attempt });
  }

  /** Closes the link permanently. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#apply({ type: "stopped" });
    this.#abort?.abort(this.#closedError());
    await this.#attempt;
    for (const { reject } of this.#takeWaiters()) reject(this.#closedError());
    await this.#closing;
  }

  /** Applies the event. If the phase or the attempt changes, performs the effects and reports the new state. */
  #apply(event: ConnectionEvent): void {
    const before = this.#state;
    const state = step(before, event, this.#options.policy);
    if (state === before) return;
    this.#state = state;
    if (state.phase === before.phase && state.attempt === before.attempt) return;
    this.#stopTimer?.();
    this.#enter(state);
    this.#options.onChanged(state);
  }

  /** Performs the effects of a new state: closes the link, starts an attempt, or sets a timer. */
  #enter(state: ConnectionState): void {
    const { clock, stableAfterMs } = this.#options;
    const { attempt } = state;
    if (state.phase !== "ready") this.#closeLink();
    if (state.phase === "connecting") {
      this.#attempt = this.#runAttempt(attempt);
    } else if (state.phase === "waiting") {
      this.#stopTimer = clock.after(state.retryAt - steadyNow(clock), () =>
        this.#apply({ type: "retry_due", attempt }),
      );
    } else if (state.phase === "ready") {
      this.#stopTimer = clock.after(stableAfterMs, () => this.#apply({ type: "stable", attempt }), {
        background: true,
      });
    }
  }

  async #runAttempt(attempt: number): Promise<void> {
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    // After the link is open, a failure is that of the link. Before, it ends the attempt.
    const fail = (error: HostError) => (this.#link ? this.#attemptFailed(attempt, error) : abort.abort(error));
    try {
      // The earlier link must be closed before the next one is opened.
      await this.#closing;
      signal.throwIfAborted();
      const link = await this.#options.open({ signal, fail, isAwaited: () => this.#isAwaited });
      if (signal.aborted) {
        // The attempt was cancelled while the link was being opened.
        await this.#options.close(link);
        signal.throwIfAborted();
      }
      this.#link = link;
      // Taken before the state changes, because callers that are added by its listeners belong to a later attempt.
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
    const { clock, random, hasServed } = this.#options;
    const served = this.#link !== undefined && hasServed(this.#link);
    this.#apply({ type: "failed", attempt, error, time: steadyNow(clock), random: random(), served });
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined) return;
    // A failure to close does not prevent the next attempt.
    this.#closing = this.#options.close(link).catch(() => {});
  }

  get #isAwaited(): boolean {
    for (const { background } of this.#waiters) if (!background) return true;
    return false;
  }

  #wait(signal: CancelSignal | undefined, background: boolean): Promise<Link> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = () => waiter.reject(cancelled());
      const waiter: Waiter<Link> = {
        background,
        resolve: (link) => (done(), resolve(link)),
        reject: (error) => (done(), reject(error)),
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Returns the waiters and removes them. Callers that are added during their callbacks wait for the next attempt. */
  #takeWaiters(): Waiter<Link>[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    return waiters;
  }

  #closedError(): HostError {
    return new HostError("CONNECTION_CLOSED", { server: this.#options.server });
  }
}
