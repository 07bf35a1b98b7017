/** Runs the tasks of each key one at a time, within this process. */
import { abortable } from "@plugboard/contracts";

export class KeyedMutex {
  readonly #running = new Map<string, Promise<unknown>>();

  /** Rejects with CANCELLED if the signal aborts before the work starts. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let previous = this.#running.get(key);
    while (previous) {
      await abortable(previous.then(ignore, ignore), signal);
      // Another waiting task may have started meanwhile.
      previous = this.#running.get(key);
    }
    const running = Promise.resolve().then(work);
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      this.#running.delete(key);
    }
  }
}

function ignore(): void {}
