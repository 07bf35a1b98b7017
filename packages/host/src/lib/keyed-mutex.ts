/** Of all that goes by one name in this process, one is done at a time. */
import { HostError } from "@plugboard/contracts";

export class KeyedMutex {
  readonly #running = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let previous; (previous = this.#running.get(key));) await settledOrAborted(previous, signal);
    const running = Promise.resolve().then(work);
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      this.#running.delete(key);
    }
  }
}

function settledOrAborted(running: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    const settle = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    running.then(settle, settle);
  });
}
