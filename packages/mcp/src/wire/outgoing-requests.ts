/**
 * Owns the requests that one peer has sent: assigns ids, matches responses and runs all deadlines on one timer.
 * Also remembers cancelled requests that the other side may still work on.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, Progress, Clock } from "@plugboard/contracts";
import { Deadlines } from "./deadlines.ts";
import type { Malformed, RequestId } from "./message.ts";
import { OutgoingRequest } from "./outgoing-request.ts";
import type { OutgoingRequestOptions } from "./outgoing-request.ts";
import { RequestTable } from "./request-table.ts";

export interface OutgoingRequestsOptions<Options extends OutgoingRequestOptions> {
  readonly server: string;
  readonly clock: Clock;
  readonly maxInFlight?: number | undefined;
  /** True if a response can arrive after its request was cancelled. */
  readonly lateResponses: boolean;
  readonly onCancelled: (request: OutgoingRequest<Options>) => void;
}

const DEFAULT_MAX_IN_FLIGHT = 1024;
/** Bounds the memory for cancelled requests, because most servers never answer them. The oldest are forgotten. */
const MAX_CANCELLED = 1024;

export class OutgoingRequests<Options extends OutgoingRequestOptions> {
  readonly #options: OutgoingRequestsOptions<Options>;
  readonly #deadlines: Deadlines;
  readonly #pending = new RequestTable<OutgoingRequest<Options>>();
  /** The time at which each cancelled request would have timed out. */
  readonly #cancelled = new Map<RequestId, number>();
  #closeError: HostError | undefined;
  #lastId = 0;

  constructor(options: OutgoingRequestsOptions<Options>) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
  }

  get size(): number {
    return this.#pending.size;
  }

  get closed(): boolean {
    return this.#closeError !== undefined;
  }

  /** True until the timeout of a cancelled request has passed, because the other side may still work on it. */
  get mayBeBusy(): boolean {
    const now = this.#deadlines.now();
    for (const [id, timeoutAt] of this.#cancelled) {
      if (timeoutAt > now) return true;
      this.#cancelled.delete(id);
    }
    return false;
  }

  /** Returns a started request, or one that has already failed and must not be sent. */
  open(method: string, options: Options): OutgoingRequest<Options> {
    const { server, maxInFlight = DEFAULT_MAX_IN_FLIGHT } = this.#options;
    const id = ++this.#lastId;
    const request = new OutgoingRequest(id, method, server, this.#deadlines, options, this.#onSettled);
    if (this.#closeError) {
      request.fail(this.#closeError);
    } else if (this.#pending.size >= maxInFlight) {
      request.fail(new HostError("TOO_MANY_CALLS", { server, limit: maxInFlight }));
    } else {
      this.#pending.set(id, request);
      request.start();
    }
    return request;
  }

  get(id: RequestId | undefined): OutgoingRequest<Options> | undefined {
    return id === undefined ? undefined : this.#pending.get(id);
  }

  /** Forgets a cancelled request, because the other side has now answered it. */
  onLateResponse(id: RequestId): void {
    this.#cancelled.delete(id);
  }

  onProgress(params: JsonObject | undefined): void {
    const token = params?.["progressToken"];
    if (typeof token !== "number" || typeof params?.["progress"] !== "number") return;
    const { progress, total, message } = params;
    const report: Progress = {
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    };
    this.#pending.get(token)?.progress(report);
  }

  /**
   * Returns the requests that a malformed message may have answered. A response without an id affects all of them,
   * unless it came on the stream of one request. Noise affects only the request on whose stream it came.
   */
  affectedBy({ looksLike, id }: Malformed, relatedRequestId: RequestId | undefined): OutgoingRequest<Options>[] {
    if (looksLike === "request") return [];
    const affectedId = looksLike === "noise" ? relatedRequestId : (id ?? relatedRequestId);
    if (affectedId === undefined) return looksLike === "response" ? this.#pending.values() : [];
    const request = this.#pending.get(affectedId);
    return request ? [request] : [];
  }

  /** Fails all pending requests, and every later one. */
  close(error: HostError): void {
    this.#closeError = error;
    for (const request of this.#pending.values()) request.fail(error);
    this.#deadlines.clear();
  }

  /** All requests share this function, because creating one per request would be slow. */
  readonly #onSettled = (request: OutgoingRequest<Options>, wasCancelled: boolean): void => {
    const { id, wouldTimeOutAt } = request;
    this.#pending.delete(id);
    if (!wasCancelled) return;
    if (wouldTimeOutAt !== undefined && this.#options.lateResponses) this.#rememberCancelled(id, wouldTimeOutAt);
    this.#options.onCancelled(request);
  };

  #rememberCancelled(id: RequestId, timeoutAt: number): void {
    this.#cancelled.set(id, timeoutAt);
    if (this.#cancelled.size <= MAX_CANCELLED) return;
    const [oldest] = this.#cancelled.keys();
    if (oldest !== undefined) this.#cancelled.delete(oldest);
  }
}
