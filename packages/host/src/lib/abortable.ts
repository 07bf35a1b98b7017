/** Waits for something that goes on by itself, as long as the caller does. What others wait for too is not ended by it. */
import { HostError } from "@plugboard/contracts";

export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
