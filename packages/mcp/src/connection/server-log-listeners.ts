/**
 * The listeners for log entries of one server that belong to no call. Asks each new session for the level they need.
 */
import type { LogEntry, LogLevel } from "@plugboard/contracts";
import { isMoreVerbose } from "../session/parse-log-entry.ts";
import type { Session } from "../session/session.ts";

export interface LogListener {
  readonly level: LogLevel;
  /** The id of the principal that listens. */
  readonly principal: string;
  readonly onLog: (entry: LogEntry) => void;
}

export class ServerLogListeners {
  readonly #listeners = new Set<LogListener>();
  #session: Session | undefined;

  constructor(session: Session | undefined) {
    this.#session = session;
  }

  /** Returns the function that removes the listener. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    this.#session?.setLogLevel(listener.level);
    return () => void this.#listeners.delete(listener);
  }

  /** Passes an entry to the listeners of its principal, or to all listeners if it belongs to none. */
  emit(entry: LogEntry, owner: string | undefined): void {
    for (const { level, principal, onLog } of this.#listeners) {
      if (owner !== undefined && principal !== owner) continue;
      if (!isMoreVerbose(entry.level, level)) onLog(entry);
    }
  }

  /** The session keeps the most verbose of the levels. */
  sessionOpened(session: Session): void {
    this.#session = session;
    for (const { level } of this.#listeners) session.setLogLevel(level);
  }

  sessionClosed(): void {
    this.#session = undefined;
  }
}
