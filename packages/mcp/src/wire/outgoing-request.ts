/**
 * One request that we send. It settles exactly once: by a response, a timeout, a cancellation or the end of the
 * transport.
 */
import { cancelled, CALLER_CANCELLED, HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress, CancelSignal } from "@plugboard/contracts";
import type { Deadlines, DeadlineEntry } from "./deadlines.ts";

export type RpcResponse =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: PeerError };

export interface OutgoingRequestOptions {
  readonly signal?: CancelSignal | undefined;
  /** The timeout without any progress. Each progress notification restarts it. */
  readonly timeoutMs?: number | undefined;
  /** The timeout of the whole request, which progress does not extend. */
  readonly maxMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Called synchronously when the request settles, before the next message is read. */
export interface ResponseHandler {
  onResponse(response: RpcResponse): void;
  /** Called if no response will come. */
  onError(error: HostError): void;
}

export class OutgoingRequest<Options extends OutgoingRequestOptions = OutgoingRequestOptions> implements DeadlineEntry {
  readonly id: number;
  readonly method: string;
  readonly options: Options;
  settled = false;
  /** The reason in the cancellation notice to the other side. */
  cancelReason = "";
  /** When the request would have timed out. Set if it was cancelled before that. */
  wouldTimeOutAt: number | undefined;
  dueAt = Infinity;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;

  readonly #server: string;
  readonly #deadlines: Deadlines;
  readonly #onSettled: (request: OutgoingRequest<Options>, wasCancelled: boolean) => void;
  #settledWith: RpcResponse | HostError | undefined;
  #handler: ResponseHandler | undefined;
  #response: Promise<RpcResponse> | undefined;
  #onAbort: (() => void) | undefined;
  #totalDeadline = Infinity;
  #timeoutPaused = false;

  constructor(
    id: number,
    method: string,
    server: string,
    deadlines: Deadlines,
    options: Options,
    onSettled: (request: OutgoingRequest<Options>, wasCancelled: boolean) => void,
  ) {
    this.id = id;
    this.method = method;
    this.#server = server;
    this.#deadlines = deadlines;
    this.options = options;
    this.#onSettled = onSettled;
  }

  /** Rejects with a `HostError` if no response will come. */
  get response(): Promise<RpcResponse> {
    this.#response ??= new Promise((resolve, reject) => this.setHandler({ onResponse: resolve, onError: reject }));
    return this.#response;
  }

  /** Sets the handler, which is called instead of settling `response`. */
  setHandler(handler: ResponseHandler): void {
    this.#handler = handler;
    this.#notifyHandler();
  }

  /** Starts the timeouts. Settles at once if the signal is already aborted. */
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
    this.#settle(response);
  }

  /** Settles without a response, and without a cancellation notice. */
  fail(error: HostError): void {
    this.#settle(error);
  }

  /** Cancels on behalf of the caller, and notifies the other side. */
  cancel(reason: string): void {
    this.abort(reason, cancelled(reason));
  }

  /** Cancels like `cancel`, but settles with the given error instead of CANCELLED. */
  abort(reason: string, error: HostError): void {
    if (this.settled) return;
    this.cancelReason = reason;
    if (this.dueAt !== Infinity) this.wouldTimeOutAt = this.dueAt;
    const wasCancelled = true;
    this.#settle(error, wasCancelled);
  }

  progress(progress: Progress): void {
    this.#resetDeadline(this.#deadlines.now());
    try {
      this.options.onProgress?.(progress);
    } catch (thrown) {
      // An exception of the progress handler ends only this request.
      this.abort("the progress handler failed", toHostError(thrown));
    }
  }

  /** Pauses `timeoutMs` while the other side waits for us. `maxMs` keeps running. */
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

  /** Sets one deadline for both timeouts: the earlier of the two. */
  #resetDeadline(now: number): void {
    if (this.settled) return;
    const { timeoutMs } = this.options;
    const silenceDeadline = timeoutMs === undefined || this.#timeoutPaused ? Infinity : now + timeoutMs;
    this.#deadlines.set(this, Math.min(silenceDeadline, this.#totalDeadline));
  }

  #settle(settledWith: RpcResponse | HostError, wasCancelled = false): void {
    if (this.settled) return;
    this.settled = true;
    this.#settledWith = settledWith;
    this.#deadlines.set(this, Infinity);
    if (this.#onAbort) this.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#onSettled(this, wasCancelled);
    this.#notifyHandler();
  }

  #notifyHandler(): void {
    const settledWith = this.#settledWith;
    if (!settledWith) return;
    if (settledWith instanceof HostError) this.#handler?.onError(settledWith);
    else this.#handler?.onResponse(settledWith);
  }
}

function abortReason(signal: CancelSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string") return reason;
  if (reason instanceof Error && reason.name !== "AbortError") return reason.message;
  return CALLER_CANCELLED;
}
