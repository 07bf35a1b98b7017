/**
 * The requests of the other side that have no response yet. Requests on different HTTP streams may share an id, so a
 * request is identified by its id and by the request on whose stream it came.
 */
import type { RequestId } from "./message.ts";

interface IncomingRequest {
  readonly relatedRequestId: RequestId | undefined;
  readonly method: string;
}

export class IncomingRequests {
  readonly #byId = new Map<RequestId, IncomingRequest[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Replaces a request with the same id on the same stream. */
  add(id: RequestId, relatedRequestId: RequestId | undefined, method: string): void {
    this.#remove(id, (request) => request.relatedRequestId === relatedRequestId);
    const sameId = this.#byId.get(id);
    if (sameId) sameId.push({ relatedRequestId, method });
    else this.#byId.set(id, [{ relatedRequestId, method }]);
    this.#size += 1;
  }

  /** Removes the request and returns its method. Without a stream, takes the oldest request with that id. */
  take(id: RequestId, relatedRequestId: RequestId | undefined): string | undefined {
    const exact = this.#remove(id, (request) => request.relatedRequestId === relatedRequestId);
    return exact ?? (relatedRequestId === undefined ? this.#remove(id, () => true) : undefined);
  }

  /** Removes a cancelled request. The cancellation may come on another stream if no other request has that id. */
  forget(id: RequestId, relatedRequestId: RequestId | undefined): void {
    const exact = this.#remove(id, (request) => request.relatedRequestId === relatedRequestId);
    if (exact === undefined && (relatedRequestId === undefined || this.#byId.get(id)?.length === 1))
      this.#remove(id, () => true);
  }

  clear(): void {
    this.#byId.clear();
    this.#size = 0;
  }

  #remove(id: RequestId, matches: (request: IncomingRequest) => boolean): string | undefined {
    const sameId = this.#byId.get(id);
    const index = sameId?.findIndex(matches) ?? -1;
    if (!sameId || index < 0) return undefined;
    const [removed] = sameId.splice(index, 1);
    if (sameId.length === 0) this.#byId.delete(id);
    this.#size -= 1;
    return removed?.method;
  }
}
