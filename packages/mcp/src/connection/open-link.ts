/** One attempt to reach a server: its process or wire, the conversation on it, and what it offers, within the start-up time. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era } from "@plugboard/contracts";
import type { Identity } from "../dialect/identity.ts";
import type { Session, SessionPorts } from "../dialect/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/credentials.ts";
import { Link } from "./link.ts";
import type { LinkOptions } from "./link.ts";
import { reach } from "./reach.ts";
import type { Findings } from "./reach.ts";
import type { Attempt } from "./supervision.ts";

/** Remembers the server's era for the next start. */
export interface Eras {
  get(): Era | undefined;
  /** Forgets the era if it is undefined, so that the next attempt detects it. */
  set(era: Era | undefined): void;
}

export interface OpenLinkOptions extends Omit<LinkOptions, "session" | "pid" | "onDead"> {
  readonly processes: Processes;
  readonly random: () => number;
  readonly credentials?: Credentials | undefined;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly eras: Eras;
  readonly findings: Findings;
  readonly ports: Omit<SessionPorts, "onClosed">;
  readonly onProcess: (process: ServerProcess) => void;
  /** What has to be known of the server before it counts as open. */
  readonly learn: (session: Session, attempt: Attempt) => Promise<void>;
}

export async function openLink(options: OpenLinkOptions, attempt: Attempt): Promise<Link> {
  const { server, serverTime, startupTimeoutMs } = options;
  let process: ServerProcess | undefined;
  const onProcess = (started: ServerProcess) => options.onProcess((process = started));
  const stopTimer = serverTime.after(startupTimeoutMs, () => {
    const stderr = process?.stderrTail;
    const details = { server, afterMs: startupTimeoutMs, ...(stderr && { stderr }) };
    attempt.lost(new HostError("SERVER_NOT_RESPONDING", details));
  });
  try {
    const session = await converse({ ...options, onProcess }, attempt);
    return new Link({ ...options, session, pid: process?.pid, onDead: attempt.lost });
  } catch (error) {
    await process?.sweep();
    throw error;
  } finally {
    stopTimer();
  }
}

/** A session, and what it has to say first. */
async function converse(options: OpenLinkOptions, attempt: Attempt): Promise<Session> {
  const { signal, lost } = attempt;
  const { target, eras, ports, limits, findings, learn } = options;
  const { maxMessageBytes, silenceMs } = limits;
  const remembered = eras.get();
  const reached = reach(
    target,
    { ...options, maxMessageBytes, silenceMs, remembered, signal, ports: { ...ports, onClosed: lost } },
    findings,
  );
  const session = await reached.catch((error: unknown) => {
    // The next attempt detects the era again, in case the server has changed.
    if (remembered && mayBeTheEra(signal.aborted ? signal.reason : error)) eras.set(undefined);
    throw error;
  });
  eras.set(session.era);
  try {
    await learn(session, attempt);
    return session;
  } catch (error) {
    // Before the closing of it can be taken for the reason.
    lost(toHostError(error));
    await session.close();
    throw error;
  }
}

/** Returns true for failures that a wrong opening request may cause without an error response. */
function mayBeTheEra(error: unknown): boolean {
  return error instanceof HostError && (error.code === "SERVER_CRASHED" || error.code === "SERVER_NOT_RESPONDING");
}
