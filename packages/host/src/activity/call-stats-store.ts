/**
 * Keeps the numbers of calls over a restart, in one file for all processes of the user. Each process adds its own numbers
 * to those in the file, under the file's lock, a minute after a call and when it closes. So no process overwrites what
 * another has counted. A file that can't be read is moved aside. Without a file, everything is kept in memory.
 */
import { rename, stat } from "node:fs/promises";
import { HostError, isHostError, toHostError } from "@plugboard/contracts";
import type { CallStats, CallStatsQuery } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { withLock } from "../store/file-lock.ts";
import { StateFile } from "../store/state-file.ts";
import { CallCounter } from "./call-counter.ts";
import type { EndedCall } from "./call-cell.ts";
import { CallHistory } from "./call-history.ts";
import { checkCallStatsQuery, summarizeCalls } from "./summarize-calls.ts";

export interface CallStatsStoreOptions {
  /** Undefined if nothing may be written. Asked again before each use, because the state folder is checked later. */
  readonly file: () => string | undefined;
  readonly clock: Clock;
  /** Called for the first failure. Called again only after a successful write. */
  readonly onFailed: (error: HostError) => void;
}

const WRITE_DELAY_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2000;

export class CallStatsStore {
  readonly counter: CallCounter;
  readonly #options: CallStatsStoreOptions;
  /** What this process has counted since its last write. */
  #unwritten = new CallHistory();
  /** What the file had when it was last read, and its state then. */
  #read: { readonly history: CallHistory; readonly stamp: string } | undefined;
  /** Reads and writes run one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;
  #failing = false;
  #closed = false;

  constructor(options: CallStatsStoreOptions) {
    this.#options = options;
    this.counter = new CallCounter(this.#unwritten);
  }

  record(call: EndedCall): void {
    this.counter.record(call);
    if (this.#cancelTimer || this.#closed) return;
    this.#cancelTimer = this.#options.clock.after(WRITE_DELAY_MS, () => void this.flush(), { background: true });
  }

  /** Returns what all processes have counted. Throws USAGE for an invalid query. */
  async stats(query: CallStatsQuery = {}): Promise<CallStats> {
    checkCallStatsQuery(query);
    return this.#enqueue(async () => {
      const stored = await this.#readFile();
      this.counter.moveTo(this.#unwritten);
      return summarizeCalls([...(stored ? [stored] : []), this.#unwritten], query, this.#options.clock.now());
    });
  }

  /** Adds the numbers to the file. Keeps them if that fails. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    return this.#enqueue(() => this.#write());
  }

  /** Writes what is left, unless the disk takes too long. */
  async close(): Promise<void> {
    this.#closed = true;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#options.clock.after(CLOSE_TIMEOUT_MS, resolve);
      void this.flush().then(() => (stopWaiting(), resolve()));
    });
  }

  /** `work` must not reject. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done;
    return done;
  }

  async #write(): Promise<void> {
    const file = this.#options.file();
    const added = this.#unwritten;
    if (file !== undefined) this.#unwritten = new CallHistory();
    this.counter.moveTo(this.#unwritten);
    added.trim(this.#options.clock.now());
    if (file === undefined || added.isEmpty) return;
    try {
      await this.#addToFile(file, added);
      this.#failing = false;
    } catch (error) {
      this.#reportFailure(error);
      this.#unwritten.merge(added);
    }
  }

  async #addToFile(file: string, added: CallHistory): Promise<void> {
    const add = () =>
      openFile(file).update(({ history }) => {
        history.merge(added);
        history.trim(this.#options.clock.now());
        return { history };
      });
    try {
      await add();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      await this.#moveAside(file, error);
      await add();
    }
  }

  async #readFile(): Promise<CallHistory | undefined> {
    const file = this.#options.file();
    if (file === undefined) return undefined;
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (this.#read?.stamp !== stamp) this.#read = { history: (await openFile(file).read()).history, stamp };
      return this.#read.history;
    } catch (error) {
      this.#read = undefined;
      if (isUnreadable(error)) await this.#moveAside(file, error).catch((failed) => this.#reportFailure(failed));
      return undefined;
    }
  }

  async #moveAside(file: string, cause: unknown): Promise<void> {
    const aside = `${file}.damaged`;
    await withLock(file, async () => {
      // Another process may have moved it meanwhile, and written a new one.
      const isDamaged = await openFile(file)
        .read()
        .then(
          () => false,
          () => true,
        );
      if (isDamaged) await rename(file, aside);
    });
    const reason = `it can't be read, so it was moved to ${aside}, and the statistics of calls start from zero`;
    this.#options.onFailed(new HostError("STORE_UNREADABLE", { file, reason }, { cause }));
  }

  #reportFailure(error: unknown): void {
    if (!this.#failing) this.#options.onFailed(toHostError(error));
    this.#failing = true;
  }
}

/** A missing file has a new history. */
function openFile(file: string): StateFile<{ readonly history: CallHistory }> {
  return new StateFile(file, {
    initial: { history: new CallHistory() },
    parse: (data) => {
      const history = CallHistory.parse(data["history"]);
      return history && { history };
    },
  });
}

function isUnreadable(error: unknown): boolean {
  return isHostError(error) && error.code === "STORE_UNREADABLE";
}
