/**
 * One request from being sent to being settled, exactly once: by an answer, a
 * timeout, a cancellation or the end of the wire.
 */
import { cancelled, CALLER_CANCELLED, HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Deadlines, DeadlineEntry } from "./deadlines.ts";

export type RpcResponse =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: PeerError };

export interface OutgoingRequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Silence allowed; progress begins it anew. */
  readonly timeoutMs?: number | undefined;
  /** Time allowed in all, whatever progress says. */
  readonly maxMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Who is told of the end, in the very moment it comes, before anything that came after it is read. */
export interface ResponseHandler {
  onResponse(response: RpcResponse): void;
  /** No answer will come. */
  onError(error: HostError): void;
}

export class OutgoingRequest<Options extends OutgoingRequestOptions = OutgoingRequestOptions> implements DeadlineEntry {
  readonly id: number;
  readonly method: string;
  readonly options: Options;
  settled = false;
  /** Why it was given up, for the other side to read. */
  cancelReason = "";
  /** When it would have timed out, if it was given up before that. */
  wouldTimeOutAt: number | undefined;
  dueAt = Infinity;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;

  readonly #server: string;
  readonly #deadlines: Deadlines;
  readonly #onSettled: (exchange: OutgoingRequest<Options>, givenUp: boolean) => void;
  #settledWith: RpcResponse | HostError | undefined;
  #handler: ResponseHandler | undefined;
  #response: Promise<RpcResponse> | undefined;
  #onAbort: (() => void) | undefined;
  /** When the time allowed in all is over. */
  #totalDeadline = Infinity;
  #timeoutPaused = false;

  constructor(
    id: number,
    method: string,
    server: string,
    deadlines: Deadlines,
    options: Options,
    onSettled: (exchange: OutgoingRequest<Options>, givenUp: boolean) => void,
  ) {
    this.id = id;
    this.method = method;
    this.#server = server;
    this.#deadlines = deadlines;
    this.options = options;
    this.#onSettled = onSettled;
  }

  /** What the other side answered. Rejects with a `HostError` when no answer will come. */
  get response(): Promise<RpcResponse> {
    this.#response ??= new Promise((resolve, reject) => this.setHandler({ onResponse: resolve, onError: reject }));
    return this.#response;
  }

  /** Instead of waiting for the reply. */
  setHandler(handler: ResponseHandler): void {
    this.#handler = handler;
    this.#notifyHandler();
  }

  /** Begins the clocks. An already aborted signal settles it here, before anything is sent. */
  start(): void {
    const { signal, maxMs } = this.options;
    if (signal?.aborted) return this.fail(cancelled(abortReason(signal)));
    if (signal) {
      this.#onAbort = () => this.cancel(abortReason(signal));
      signal.addEventListener("abort", this.#onAbort, { once: true });
    }
    const now = this.#deadlines.now();
    if (maxMs !== undefined) this.#totalDeadline = now + maxMs;
    this.#resetDeadline(now);
  }

  receive(response: RpcResponse): void {
    this.#settle(response, false);
  }

  /** No answer will come. */
  fail(error: HostError): void {
    this.#settle(error, false);
  }

  /** The answer is no longer wanted: the other side is told. */
  cancel(reason: string): void {
    this.abort(reason, cancelled(reason));
  }

  /** The same, for another reason than that nobody waits. */
  abort(reason: string, error: HostError): void {
    if (this.settled) return;
    this.cancelReason = reason;
    if (this.dueAt !== Infinity) this.wouldTimeOutAt = this.dueAt;
    this.#settle(error, true);
  }

  progress(progress: Progress): void {
    this.#resetDeadline(this.#deadlines.now());
    try {
      this.options.onProgress?.(progress);
    } catch (thrown) {
      // A defect of whoever listens: that call ends with it, nothing else does.
      this.abort("its progress could not be taken", toHostError(thrown));
    }
  }

  /** While the other side waits for us its silence is not counted; the maximum goes on. */
  pauseTimeout(): void {
    this.#timeoutPaused = true;
    this.#resetDeadline(this.#deadlines.now());
  }

  resumeTimeout(): void {
    this.#timeoutPaused = false;
    this.#resetDeadline(this.#deadlines.now());
  }

  onDeadline(): void {
    const { timeoutMs = 0, maxMs = 0 } = this.options;
    const afterMs = this.#deadlines.now() >= this.#totalDeadline ? maxMs : timeoutMs;
    const details = { server: this.#server, method: this.method, afterMs };
    this.abort(`no answer in ${afterMs} ms`, new HostError("REQUEST_TIMEOUT", details));
  }

  /** One deadline for both: whichever time is over first. */
  #resetDeadline(now: number): void {
    if (this.settled) return;
    const { timeoutMs } = this.options;
    const silenceDeadline = timeoutMs === undefined || this.#timeoutPaused ? Infinity : now + timeoutMs;
    this.#deadlines.set(this, Math.min(silenceDeadline, this.#totalDeadline));
  }

  #settle(settledWith: RpcResponse | HostError, aborted: boolean): void {
    if (this.settled) return;
    this.settled = true;
    this.#settledWith = settledWith;
    this.#deadlines.set(this, Infinity);
    if (this.#onAbort) this.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#onSettled(this, aborted);
    this.#notifyHandler();
  }

  #notifyHandler(): void {
    const settledWith = this.#settledWith;
    if (!settledWith) return;
    if (settledWith instanceof HostError) this.#handler?.onError(settledWith);
    else this.#handler?.onResponse(settledWith);
  }
}

function abortReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string") return reason;
  if (reason instanceof Error && reason.name !== "AbortError") return reason.message;
  return CALLER_CANCELLED;
}
