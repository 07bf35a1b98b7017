/** The listeners for log entries of one server that belong to no call. Asks each new session for the level they need. */
import type { LogEntry, LogLevel } from "@plugboard/contracts";
import { isMoreVerbose } from "../session/parse-log-entry.ts";
import type { Session } from "../session/session.ts";

interface LogListener {
  readonly level: LogLevel;
  readonly onLog: (entry: LogEntry) => void;
}

export class ServerLogListeners {
  readonly #listeners = new Set<LogListener>();
  #session: Session | undefined;

  /** Returns the function that removes the listener. */
  listen(level: LogLevel, onLog: (entry: LogEntry) => void): () => void {
    const listener = { level, onLog };
    this.#listeners.add(listener);
    this.#session?.setLogLevel(level);
    return () => void this.#listeners.delete(listener);
  }

  emit(entry: LogEntry): void {
    for (const { level, onLog } of this.#listeners) if (!isMoreVerbose(entry.level, level)) onLog(entry);
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
