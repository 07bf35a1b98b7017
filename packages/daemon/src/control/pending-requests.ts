/** Tracks requests that clients wait for, so that all can be rejected with one error. */
import type { HostError } from "@plugboard/contracts";

export class PendingRequests {
  readonly #rejects = new Set<(error: HostError) => void>();

  get size(): number {
    return this.#rejects.size;
  }

  /** Settles like `work`, or rejects as soon as `rejectAll` is called. Does not stop the work itself. */
  track<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      void work.then(resolve, reject).finally(() => this.#rejects.delete(reject));
    });
  }

  rejectAll(error: HostError): void {
    for (const reject of this.#rejects) reject(error);
  }
}
