import { cancelled } from "../errors/error.ts";

/**
 * Waits for a promise until the signal is aborted, then rejects with
 * `abortError()`. The work behind the promise goes on.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  abortError: () => Error = cancelled,
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError());
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
