/** Ends the connections of a stopping host: pending requests finish first, then clients read the last responses. */
import type { Clock } from "@plugboard/gateway";
import type { DrainingHttpServer } from "./draining-http-server.ts";
import type { StdioUpgrades } from "./stdio-upgrades.ts";

export interface ServingParts {
  readonly httpServers: readonly DrainingHttpServer[];
  readonly stdio: StdioUpgrades;
  /** The parts that answer requests. `close` answers pending requests with HOST_CLOSED. */
  readonly services: readonly { readonly busy: boolean; close(): void }[];
}

export interface StopOptions {
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
  { httpServers, stdio, services }: ServingParts,
  { clock, forced }: StopOptions,
): Promise<void> {
  const listeners = [...httpServers, stdio];
  for (const listener of listeners) listener.stopAccepting();
  const isIdle = () => !services.some(({ busy }) => busy);
  await pollUntil(isIdle, { clock, maxMs: DRAIN_MS, signal: forced });
  for (const service of services) service.close();
  for (const server of httpServers) server.rejectPending();
  const flushed = Promise.all(listeners.map((listener) => listener.finished()));
  await waitAtMost(flushed, { clock, maxMs: FLUSH_MS, forced, forcedMs: FORCED_FLUSH_MS });
  stdio.destroy();
  await Promise.all(httpServers.map((server) => server.close()));
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
