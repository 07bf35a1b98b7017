/**
 * Ends the connections of a stopping host or port: pending requests finish first, then clients read the last responses.
 */
import type { Clock } from "@plugboard/contracts";

export interface ServingParts {
  readonly listeners: readonly Listener[];
  /** The parts that answer requests. */
  readonly services: readonly Service[];
}

/** Accepts connections of clients. */
export interface Listener {
  stopAccepting(): void;
  /** Answers requests with HOST_CLOSED that no service has answered. */
  rejectPending?(): void;
  /** Resolves when the clients have read the last answers. */
  finished(): Promise<void>;
  /** Ends the connections that are still open. */
  disconnect(): Promise<void>;
}

interface Service {
  /** True while a client waits for an answer. */
  readonly busy: boolean;
  /** Answers pending requests with HOST_CLOSED, and ends all streams. */
  close(): void;
}

export interface StopServingOptions {
  readonly clock: Clock;
  /** Aborted to skip the waiting. */
  readonly forced: AbortSignal;
}

/** Time for pending requests to finish. */
const DRAIN_MS = 2000;
/** Time for clients to read the last responses. */
const FLUSH_MS = 500;
const FORCED_FLUSH_MS = 100;

export async function stopServing(
  { listeners, services }: ServingParts,
  { clock, forced }: StopServingOptions,
): Promise<void> {
  for (const listener of listeners) listener.stopAccepting();
  const isIdle = () => !services.some(({ busy }) => busy);
  await pollUntil(isIdle, { clock, maxMs: DRAIN_MS, signal: forced });
  for (const service of services) service.close();
  for (const listener of listeners) listener.rejectPending?.();
  const flushed = Promise.all(listeners.map((listener) => listener.finished()));
  await waitAtMost(flushed, { clock, maxMs: FLUSH_MS, forced, forcedMs: FORCED_FLUSH_MS });
  await Promise.all(listeners.map((listener) => listener.disconnect()));
}

interface PollOptions {
  readonly clock: Clock;
  readonly maxMs: number;
  /** Ends the wait when aborted. */
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 20;

/** Polls a condition until it is true or the time is up. */
async function pollUntil(isDone: () => boolean, { clock, maxMs, signal }: PollOptions): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && !signal.aborted && !isDone(); waitedMs += INTERVAL_MS) {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(INTERVAL_MS, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      const stop = () => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}

interface WaitLimits {
  readonly clock: Clock;
  readonly maxMs: number;
  /** From the moment this is aborted, the wait lasts at most `forcedMs`. */
  readonly forced: AbortSignal;
  readonly forcedMs: number;
}

/** Waits for work until it settles or a time limit is over. */
function waitAtMost(work: Promise<unknown>, { clock, maxMs, forced, forcedMs }: WaitLimits): Promise<void> {
  return new Promise((resolve) => {
    let cancelForced = () => {};
    const force = () => (cancelForced = clock.after(forcedMs, finish));
    const finish = () => {
      cancel();
      cancelForced();
      forced.removeEventListener("abort", force);
      resolve();
    };
    const cancel = clock.after(maxMs, finish);
    forced.addEventListener("abort", force, { once: true });
    if (forced.aborted) force();
    void work.catch(() => {}).finally(finish);
  });
}
