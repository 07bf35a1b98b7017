/**
 * What the other side has asked and not been answered yet. Where requests have
 * streams of their own, questions on different streams may share an id, so a
 * question is known by both.
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

  /** One that is asked again under the same id, on the same stream, is one question. */
  add(id: RequestId, relatedRequestId: RequestId | undefined, method: string): void {
    this.#remove(id, (question) => question.relatedRequestId === relatedRequestId);
    const sameId = this.#byId.get(id);
    if (sameId) sameId.push({ relatedRequestId, method });
    else this.#byId.set(id, [{ relatedRequestId, method }]);
    this.#size += 1;
  }

  /** To answer it: its method, once. Who does not say on which stream it came means the oldest of that id. */
  take(id: RequestId, relatedRequestId: RequestId | undefined): string | undefined {
    const exact = this.#remove(id, (question) => question.relatedRequestId === relatedRequestId);
    return exact ?? (relatedRequestId === undefined ? this.#remove(id, () => true) : undefined);
  }

  /** It was taken back, be it on another stream, as long as no other has that id. */
  forget(id: RequestId, relatedRequestId: RequestId | undefined): void {
    const exact = this.#remove(id, (question) => question.relatedRequestId === relatedRequestId);
    if (exact === undefined && (relatedRequestId === undefined || this.#byId.get(id)?.length === 1))
      this.#remove(id, () => true);
  }

  clear(): void {
    this.#byId.clear();
    this.#size = 0;
  }

  #remove(id: RequestId, matches: (question: IncomingRequest) => boolean): string | undefined {
    const sameId = this.#byId.get(id);
    const index = sameId?.findIndex(matches) ?? -1;
    if (!sameId || index < 0) return undefined;
    const [removed] = sameId.splice(index, 1);
    if (sameId.length === 0) this.#byId.delete(id);
    this.#size -= 1;
    return removed?.method;
  }
}
