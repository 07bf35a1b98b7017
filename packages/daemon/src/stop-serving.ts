/** Ends the connections of a stopping host: pending requests finish first, then clients read the last responses. */
import type { Clock } from "@plugboard/gateway";
import type { DrainingHttpServer } from "./draining-http-server.ts";
import { pollUntil } from "./poll-until.ts";
import type { StdioUpgrades } from "./stdio-upgrades.ts";
import { waitAtMost } from "./wait-at-most.ts";

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
