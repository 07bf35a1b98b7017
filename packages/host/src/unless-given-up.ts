/** Waits for something that goes on by itself, as long as the caller does. What others wait for too is not ended by it. */
import { HostError } from "@plugboard/contracts";

export function unlessGivenUp<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
