/** Work that clients wait for, all of which can be ended with one error. */
import type { HostError } from "@plugboard/contracts";

export class PendingRequests {
  readonly #rejects = new Set<(error: HostError) => void>();

  get size(): number {
    return this.#rejects.size;
  }

  /** The work itself goes on; its caller no longer waits once `rejectAll` is called. */
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
