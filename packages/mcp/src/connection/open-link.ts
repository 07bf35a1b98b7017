/** One attempt to reach a server: its process or wire, the conversation on it, and what it offers, within the start-up time. */
import { HostError } from "@plugboard/contracts";
import type { Era } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import type { Identity } from "../dialect/identity.ts";
import { openSession } from "../dialect/open-session.ts";
import type { Session, SessionPorts } from "../dialect/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import { HealthWatch } from "./health.ts";
import type { ConnectionLimits } from "./limits.ts";
import { openTransport } from "./open-transport.ts";
import type { Attempt } from "./supervision.ts";
import type { Target } from "./target.ts";

export interface LinkOptions {
  readonly server: string;
  readonly target: Target;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly healthIntervalMs?: number | undefined;
  readonly limits: ConnectionLimits;
  readonly eras: { get(): Era | undefined; set(era: Era): void };
  readonly ports: Omit<SessionPorts, "onClosed">;
  readonly onProcess: (process: ServerProcess) => void;
  /** What has to be known of the server before it counts as open. */
  readonly learn: (session: Session, signal: AbortSignal) => Promise<void>;
}

export interface Link {
  readonly session: Session;
  readonly pid: number | undefined;
  /** Absent where the end of a server is noticed by itself. */
  readonly health: HealthWatch | undefined;
  close(): Promise<void>;
}

export async function openLink(options: LinkOptions, { signal, lost }: Attempt): Promise<Link> {
  const { server, clock, random, identity, startupTimeoutMs, limits, eras, ports, learn } = options;
  let process: ServerProcess | undefined;
  let ours = false;
  const stopTimer = clock.after(startupTimeoutMs, () => {
    const stderr = process?.stderrTail;
    lost(new HostError("SERVER_NOT_RESPONDING", { server, afterMs: startupTimeoutMs, ...(stderr && { stderr }) }));
  });
  const connect = () =>
    openTransport(options.target, {
      server,
      processes: options.processes,
      clock,
      maxMessageBytes: limits.maxMessageBytes,
      onProcess: (started) => options.onProcess((process = started)),
    });
  let session: Session | undefined;
  let health: HealthWatch | undefined;
  const close = async () => {
    ours = true;
    health?.stop();
    await session?.close();
    await process?.sweep();
  };
  try {
    const opened = await openSession({
      server,
      clock,
      random,
      identity,
      connect,
      remembered: eras.get(),
      silenceMs: limits.silenceMs,
      signal,
      // What we close ourselves is no loss.
      ports: { ...ports, onClosed: (error) => void (ours || lost(error)) },
    });
    session = opened.session;
    eras.set(opened.remember);
    await learn(session, signal);
    health = watchHealth(options, session, lost);
    return { session, pid: process?.pid, health, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    stopTimer();
  }
}

/** A process that ends says so; what is far away may be gone without a word. */
function watchHealth(
  { server, target, clock, limits, healthIntervalMs }: LinkOptions,
  session: Session,
  lost: Attempt["lost"],
): HealthWatch | undefined {
  const remote = target.transport !== "stdio";
  // A session that a server keeps is worth looking after; one that is made anew with every request is not.
  const intervalMs = healthIntervalMs ?? (remote && session.era === "legacy" ? DEFAULT_INTERVAL_MS : 0);
  if (!remote && intervalMs === 0) return undefined;
  return new HealthWatch({
    server,
    clock,
    intervalMs: intervalMs || undefined,
    timeoutMs: limits.healthTimeoutMs,
    againMs: limits.healthAgainMs,
    alive: (signal) => session.alive(signal),
    onDead: lost,
  });
}

const DEFAULT_INTERVAL_MS = 30_000;
