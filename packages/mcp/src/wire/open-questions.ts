/**
 * What the other side has asked and not been answered yet. Where requests have
 * streams of their own, questions on different streams may share an id, so a
 * question is known by both.
 */
import type { RequestId } from "./message.ts";

interface Question {
  readonly via: RequestId | undefined;
  readonly method: string;
}

export class OpenQuestions {
  readonly #byId = new Map<RequestId, Question[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** One that is asked again under the same id, on the same stream, is one question. */
  add(id: RequestId, via: RequestId | undefined, method: string): void {
    this.#remove(id, (question) => question.via === via);
    const asked = this.#byId.get(id);
    if (asked) asked.push({ via, method });
    else this.#byId.set(id, [{ via, method }]);
    this.#size += 1;
  }

  /** To answer it: its method, once. Who does not say on which stream it came means the oldest of that id. */
  take(id: RequestId, via: RequestId | undefined): string | undefined {
    const exact = this.#remove(id, (question) => question.via === via);
    return exact ?? (via === undefined ? this.#remove(id, () => true) : undefined);
  }

  /** It was taken back, be it on another stream, as long as no other has that id. */
  forget(id: RequestId, via: RequestId | undefined): void {
    const exact = this.#remove(id, (question) => question.via === via);
    if (exact === undefined && (via === undefined || this.#byId.get(id)?.length === 1)) this.#remove(id, () => true);
  }

  clear(): void {
    this.#byId.clear();
    this.#size = 0;
  }

  #remove(id: RequestId, which: (question: Question) => boolean): string | undefined {
    const asked = this.#byId.get(id);
    const at = asked?.findIndex(which) ?? -1;
    if (!asked || at < 0) return undefined;
    const [removed] = asked.splice(at, 1);
    if (asked.length === 0) this.#byId.delete(id);
    this.#size -= 1;
    return removed?.method;
  }
}
