/**
 * One request from being sent to being settled, exactly once: by an answer, a
 * timeout, a cancellation or the end of the wire.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";

export type Reply =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: PeerError };

export interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Silence allowed; progress begins it anew. */
  readonly timeoutMs?: number | undefined;
  /** Time allowed in all, whatever progress says. */
  readonly maxMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Told in the very moment the answer arrives, before anything that came after it is read. */
  readonly onAnswered?: (() => void) | undefined;
}

interface Timers extends Pick<Clock, "after"> {
  now(): number;
}

export class Exchange<Options extends ExchangeOptions = ExchangeOptions> {
  readonly id: number;
  readonly method: string;
  /** What the other side answered. Rejects with a `HostError` when no answer will come. */
  readonly reply: Promise<Reply>;
  settled = false;
  /** Why it was given up, for the other side to read. */
  reason = "";

  readonly #server: string;
  readonly #timers: Timers;
  readonly options: Options;
  readonly #ended: (exchange: Exchange<Options>, givenUp: boolean) => void;
  #onAbort: (() => void) | undefined;
  #resolve!: (reply: Reply) => void;
  #reject!: (error: HostError) => void;
  /** When the time allowed in all is over. */
  #until = Infinity;
  /** One deadline for both: whichever time is over first. */
  #stopTimer: (() => void) | undefined;
  #held = false;

  constructor(
    id: number,
    method: string,
    server: string,
    timers: Timers,
    options: Options,
    ended: (exchange: Exchange<Options>, givenUp: boolean) => void,
  ) {
    this.id = id;
    this.method = method;
    this.#server = server;
    this.#timers = timers;
    this.options = options;
    this.#ended = ended;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Begins the clocks. An already aborted signal settles it here, before anything is sent. */
  start(): void {
    const { signal, maxMs } = this.options;
    if (signal?.aborted) return this.fail(new HostError("CANCELLED", { reason: abortReason(signal) }));
    if (signal) {
      this.#onAbort = () => this.cancel(abortReason(signal));
      signal.addEventListener("abort", this.#onAbort, { once: true });
    }
    if (maxMs !== undefined) this.#until = this.#timers.now() + maxMs;
    this.#watch();
  }

  answer(reply: Reply): void {
    if (!this.#finish(false)) return;
    this.#resolve(reply);
    this.options.onAnswered?.();
  }

  /** No answer will come. */
  fail(error: HostError): void {
    if (this.#finish(false)) this.#settleAs(error);
  }

  /** The answer is no longer wanted: the other side is told. */
  cancel(reason: string): void {
    this.#giveUp(reason, new HostError("CANCELLED", { reason }));
  }

  progress(progress: Progress): void {
    this.#watch();
    try {
      this.options.onProgress?.(progress);
    } catch (thrown) {
      // A defect of whoever listens: that call ends with it, nothing else does.
      this.#giveUp("its progress could not be taken", toHostError(thrown));
    }
  }

  /** While the other side waits for us its silence is not counted; the maximum goes on. */
  hold(): void {
    this.#held = true;
    this.#watch();
  }

  unhold(): void {
    this.#held = false;
    this.#watch();
  }

  #watch(): void {
    if (this.settled) return;
    this.#stopTimer?.();
    const { timeoutMs = Infinity } = this.options;
    const silence = this.#held ? Infinity : timeoutMs;
    const left = this.#until === Infinity ? Infinity : this.#until - this.#timers.now();
    const wait = Math.min(silence, left);
    this.#stopTimer = wait === Infinity ? undefined : this.#timers.after(wait, () => this.#timeout(left <= silence));
  }

  #timeout(inAll: boolean): void {
    const { timeoutMs = 0, maxMs = 0 } = this.options;
    const afterMs = inAll ? maxMs : timeoutMs;
    const details = { server: this.#server, method: this.method, afterMs };
    this.#giveUp(`no answer in ${afterMs} ms`, new HostError("REQUEST_TIMEOUT", details));
  }

  #giveUp(reason: string, error: HostError): void {
    if (this.settled) return;
    this.reason = reason;
    this.#finish(true);
    this.#settleAs(error);
  }

  /** It may fail before anybody awaits the reply; whoever does still sees the rejection. */
  #settleAs(failure: HostError): void {
    this.reply.catch(() => {});
    this.#reject(failure);
  }

  #finish(givenUp: boolean): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#stopTimer?.();
    if (this.#onAbort) this.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#ended(this, givenUp);
    return true;
  }
}

function abortReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string") return reason;
  if (reason instanceof Error && reason.name !== "AbortError") return reason.message;
  return "the caller gave up";
}
