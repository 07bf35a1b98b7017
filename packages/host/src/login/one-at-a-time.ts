/** Of all that goes by one name in this process, one is done at a time. */
import { HostError } from "@plugboard/contracts";

export class OneAtATime {
  readonly #running = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let before; (before = this.#running.get(name));) await settledOrAborted(before, signal);
    const running = Promise.resolve().then(work);
    this.#running.set(name, running);
    try {
      return await running;
    } finally {
      this.#running.delete(name);
    }
  }
}

function settledOrAborted(running: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    const settle = () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    };
    if (signal?.aborted) return giveUp();
    signal?.addEventListener("abort", giveUp);
    running.then(settle, settle);
  });
}
