/**
 * One attempt to connect to a server, within the start-up timeout: opens the session, prepares it, and returns the link
 * that supervises it. Remembers the era of the server.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era, ErrorDetails, Clock } from "@plugboard/contracts";
import type { Session } from "../session/session.ts";
import type { ServerProcess } from "../process/index.ts";
import type { ConnectionSettings } from "./connection-options.ts";
import { openWithSseFallback } from "./open-with-sse-fallback.ts";
import type { ServerEndpoint } from "./open-with-sse-fallback.ts";
import type { ConnectAttempt } from "./reconnect-loop.ts";
import { ServerLink } from "./server-link.ts";
import type { LinkWatchOptions } from "./server-link.ts";

/** Remembers the server's era, and whether it asks without naming its call, for the next start. */
export interface EraStore {
  get(): Era | undefined;
  /** Forgets the era if it is undefined, so that the next attempt detects it. */
  set(era: Era | undefined): void;
  /** Returns whether the server has asked a question without naming its call. */
  hasAskedWithoutCall?(): boolean;
  rememberAskedWithoutCall?(): void;
}

export interface OpenLinkOptions {
  readonly server: string;
  /** Returns the settings of the connection now. */
  readonly settings: () => Pick<ConnectionSettings, "startupTimeoutMs">;
  /** Measures the start-up time. Stands still while the server's credentials are obtained. */
  readonly serverClock: Clock;
  readonly eraStore: EraStore;
  readonly onlyEra: Era | undefined;
  readonly endpoint: ServerEndpoint;
  readonly watch: LinkWatchOptions;
  readonly onProcess: (process: ServerProcess) => void;
  /** Lists the tools of the new session. The link is open only after that. */
  readonly prepare: (session: Session, attempt: ConnectAttempt) => Promise<void>;
}

/**
 * Returns the open link. Throws if the attempt fails, and stops a process that it has started. A process waits for its
 * turn if many servers start at the same time. The start-up timeout begins after that.
 */
export async function openLink(options: OpenLinkOptions, attempt: ConnectAttempt): Promise<ServerLink> {
  const { target, transport } = options.endpoint;
  if (target.transport !== "stdio") return openLinkNow(options, attempt);
  const endStart = await transport.processes.starts.begin(attempt);
  try {
    return await openLinkNow(options, attempt);
  } finally {
    endStart();
  }
}

async function openLinkNow(options: OpenLinkOptions, reported: ConnectAttempt): Promise<ServerLink> {
  const { server, serverClock, watch } = options;
  const { startupTimeoutMs } = options.settings();
  let isStarting = true;
  const attempt: ConnectAttempt = {
    ...reported,
    fail: (error) => reported.fail(isStarting ? markStarting(error) : error),
  };
  let process: ServerProcess | undefined;
  const stopTimer = serverClock.after(startupTimeoutMs, () => {
    const { stderrTail: stderr, noiseLines = 0 } = process ?? {};
    const details = {
      server,
      afterMs: startupTimeoutMs,
      ...(stderr && { stderr }),
      ...(noiseLines > 0 && { noiseLines }),
    };
    attempt.fail(new HostError("SERVER_NOT_RESPONDING", details));
  });
  try {
    const session = await openSessionInEra(options, attempt, (started) => options.onProcess((process = started)));
    await prepareSession(session, options, attempt);
    isStarting = false;
    return new ServerLink({ session, pid: process?.pid, watch, onDead: attempt.fail });
  } catch (error) {
    await process?.stopRemaining();
    throw error instanceof HostError ? markStarting(error) : error;
  } finally {
    stopTimer();
  }
}

/** Opens the session in the remembered era if there is one, and stores the era that the server has. */
async function openSessionInEra(
  { endpoint, eraStore, onlyEra }: OpenLinkOptions,
  { signal, fail }: ConnectAttempt,
  onProcess: (process: ServerProcess) => void,
): Promise<Session> {
  if (onlyEra) return openWithSseFallback(endpoint, { signal, onProcess, onlyEra, onClosed: fail });
  const rememberedEra = eraStore.get();
  try {
    const session = await openWithSseFallback(endpoint, { signal, onProcess, rememberedEra, onClosed: fail });
    eraStore.set(session.era);
    return session;
  } catch (error) {
    // The next attempt detects the era again, in case the server has changed.
    if (rememberedEra && mayBeWrongEra(signal.aborted ? signal.reason : error)) eraStore.set(undefined);
    throw error;
  }
}

async function prepareSession(session: Session, { prepare }: OpenLinkOptions, attempt: ConnectAttempt): Promise<void> {
  try {
    await prepare(session, attempt);
  } catch (error) {
    // Reports this error first, because closing the session reports another one.
    attempt.fail(toHostError(error));
    await session.close();
    throw error;
  }
}

/** Says in the error of a crash that the server was not ready yet, so that no call was running. */
function markStarting(error: HostError): HostError {
  if (error.code !== "SERVER_CRASHED") return error;
  const details = error.details as ErrorDetails["SERVER_CRASHED"];
  return new HostError("SERVER_CRASHED", { ...details, starting: true }, { cause: error.cause });
}

/** Returns true for failures that an opening request of the wrong era may cause. */
function mayBeWrongEra(error: unknown): boolean {
  return error instanceof HostError && (error.code === "SERVER_CRASHED" || error.code === "SERVER_NOT_RESPONDING");
}
