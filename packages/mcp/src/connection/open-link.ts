/** One attempt to reach a server: its process or wire, the conversation on it, and what it offers, within the start-up time. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era } from "@plugboard/contracts";
import type { Identity } from "../session/identity.ts";
import type { Session, SessionPorts } from "../session/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import { ServerLink } from "./server-link.ts";
import type { ServerLinkOptions } from "./server-link.ts";
import { openWithSseFallback } from "./open-with-sse-fallback.ts";
import type { TransportHints } from "./open-with-sse-fallback.ts";
import type { ConnectAttempt } from "./reconnect-loop.ts";

/** Remembers the server's era for the next start. */
export interface EraStore {
  get(): Era | undefined;
  /** Forgets the era if it is undefined, so that the next attempt detects it. */
  set(era: Era | undefined): void;
}

export interface OpenLinkOptions extends Omit<ServerLinkOptions, "session" | "pid" | "onDead"> {
  readonly processes: Processes;
  readonly random: () => number;
  readonly credentials?: Credentials | undefined;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly eraStore: EraStore;
  readonly transportHints: TransportHints;
  readonly ports: Omit<SessionPorts, "onClosed">;
  readonly onProcess: (process: ServerProcess) => void;
  /** What has to be known of the server before it counts as open. */
  readonly prepare: (session: Session, attempt: ConnectAttempt) => Promise<void>;
}

export async function openLink(options: OpenLinkOptions, attempt: ConnectAttempt): Promise<ServerLink> {
  const { server, serverClock, startupTimeoutMs } = options;
  let process: ServerProcess | undefined;
  const onProcess = (started: ServerProcess) => options.onProcess((process = started));
  const stopTimer = serverClock.after(startupTimeoutMs, () => {
    const stderr = process?.stderrTail;
    const details = { server, afterMs: startupTimeoutMs, ...(stderr && { stderr }) };
    attempt.fail(new HostError("SERVER_NOT_RESPONDING", details));
  });
  try {
    const session = await openPreparedSession({ ...options, onProcess }, attempt);
    return new ServerLink({ ...options, session, pid: process?.pid, onDead: attempt.fail });
  } catch (error) {
    await process?.stopRemaining();
    throw error;
  } finally {
    stopTimer();
  }
}

/** A session, and what it has to say first. */
async function openPreparedSession(options: OpenLinkOptions, attempt: ConnectAttempt): Promise<Session> {
  const { signal, fail } = attempt;
  const { target, eraStore, ports, limits, transportHints, prepare } = options;
  const { maxMessageBytes, silenceMs } = limits;
  const rememberedEra = eraStore.get();
  const opening = openWithSseFallback(
    target,
    { ...options, maxMessageBytes, silenceMs, rememberedEra, signal, ports: { ...ports, onClosed: fail } },
    transportHints,
  );
  const session = await opening.catch((error: unknown) => {
    // The next attempt detects the era again, in case the server has changed.
    if (rememberedEra && mayBeWrongEra(signal.aborted ? signal.reason : error)) eraStore.set(undefined);
    throw error;
  });
  eraStore.set(session.era);
  try {
    await prepare(session, attempt);
    return session;
  } catch (error) {
    // Before the closing of it can be taken for the reason.
    fail(toHostError(error));
    await session.close();
    throw error;
  }
}

/** Returns true for failures that a wrong opening request may cause without an error response. */
function mayBeWrongEra(error: unknown): boolean {
  return error instanceof HostError && (error.code === "SERVER_CRASHED" || error.code === "SERVER_NOT_RESPONDING");
}
