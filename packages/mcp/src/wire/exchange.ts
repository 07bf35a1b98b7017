/**
 * One request from being sent to being settled, exactly once: by an answer, a
 * timeout, a cancellation or the end of the wire.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Deadlines, Timed } from "./deadlines.ts";

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
}

/** Who is told of the end, in the very moment it comes, before anything that came after it is read. */
export interface Ending {
  answered(reply: Reply): void;
  /** No answer will come. */
  failed(error: HostError): void;
}

export class Exchange<Options extends ExchangeOptions = ExchangeOptions> implements Timed {
  readonly id: number;
  readonly method: string;
  readonly options: Options;
  settled = false;
  /** Why it was given up, for the other side to read. */
  reason = "";
  /** When it would have timed out, if it was given up before that. */
  wouldEndAt: number | undefined;
  dueAt = Infinity;
  before: Timed | undefined;
  behind: Timed | undefined;

  readonly #server: string;
  readonly #deadlines: Deadlines;
  readonly #ended: (exchange: Exchange<Options>, givenUp: boolean) => void;
  #end: Reply | HostError | undefined;
  #ending: Ending | undefined;
  #reply: Promise<Reply> | undefined;
  #onAbort: (() => void) | undefined;
  /** When the time allowed in all is over. */
  #until = Infinity;
  #held = false;

  constructor(
    id: number,
    method: string,
    server: string,
    deadlines: Deadlines,
    options: Options,
    ended: (exchange: Exchange<Options>, givenUp: boolean) => void,
  ) {
    this.id = id;
    this.method = method;
    this.#server = server;
    this.#deadlines = deadlines;
    this.options = options;
    this.#ended = ended;
  }

  /** What the other side answered. Rejects with a `HostError` when no answer will come. */
  get reply(): Promise<Reply> {
    this.#reply ??= new Promise((resolve, reject) => this.tell({ answered: resolve, failed: reject }));
    return this.#reply;
  }

  /** Instead of waiting for the reply. */
  tell(ending: Ending): void {
    this.#ending = ending;
    this.#deliver();
  }

  /** Begins the clocks. An already aborted signal settles it here, before anything is sent. */
  start(): void {
    const { signal, maxMs } = this.options;
    if (signal?.aborted) return this.fail(new HostError("CANCELLED", { reason: abortReason(signal) }));
    if (signal) {
      this.#onAbort = () => this.cancel(abortReason(signal));
      signal.addEventListener("abort", this.#onAbort, { once: true });
    }
    const now = this.#deadlines.now();
    if (maxMs !== undefined) this.#until = now + maxMs;
    this.#watch(now);
  }

  answer(reply: Reply): void {
    this.#settle(reply, false);
  }

  /** No answer will come. */
  fail(error: HostError): void {
    this.#settle(error, false);
  }

  /** The answer is no longer wanted: the other side is told. */
  cancel(reason: string): void {
    this.giveUp(reason, new HostError("CANCELLED", { reason }));
  }

  /** The same, for another reason than that nobody waits. */
  giveUp(reason: string, error: HostError): void {
    if (this.settled) return;
    this.reason = reason;
    if (this.dueAt !== Infinity) this.wouldEndAt = this.dueAt;
    this.#settle(error, true);
  }

  progress(progress: Progress): void {
    this.#watch(this.#deadlines.now());
    try {
      this.options.onProgress?.(progress);
    } catch (thrown) {
      // A defect of whoever listens: that call ends with it, nothing else does.
      this.giveUp("its progress could not be taken", toHostError(thrown));
    }
  }

  /** While the other side waits for us its silence is not counted; the maximum goes on. */
  hold(): void {
    this.#held = true;
    this.#watch(this.#deadlines.now());
  }

  unhold(): void {
    this.#held = false;
    this.#watch(this.#deadlines.now());
  }

  due(): void {
    const { timeoutMs = 0, maxMs = 0 } = this.options;
    const afterMs = this.#deadlines.now() >= this.#until ? maxMs : timeoutMs;
    const details = { server: this.#server, method: this.method, afterMs };
    this.giveUp(`no answer in ${afterMs} ms`, new HostError("REQUEST_TIMEOUT", details));
  }

  /** One deadline for both: whichever time is over first. */
  #watch(now: number): void {
    if (this.settled) return;
    const { timeoutMs } = this.options;
    const silence = timeoutMs === undefined || this.#held ? Infinity : now + timeoutMs;
    this.#deadlines.set(this, Math.min(silence, this.#until));
  }

  #settle(end: Reply | HostError, givenUp: boolean): void {
    if (this.settled) return;
    this.settled = true;
    this.#end = end;
    this.#deadlines.set(this, Infinity);
    if (this.#onAbort) this.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#ended(this, givenUp);
    this.#deliver();
  }

  #deliver(): void {
    const end = this.#end;
    if (!end) return;
    if (end instanceof HostError) this.#ending?.failed(end);
    else this.#ending?.answered(end);
  }
}

function abortReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string") return reason;
  if (reason instanceof Error && reason.name !== "AbortError") return reason.message;
  return "the caller gave up";
}
