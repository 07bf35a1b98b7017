/**
 * Keeps the numbers of calls across restarts, in one file for all processes of the user. Each process adds its own
 * numbers to the file under a lock, a minute after a call and when it closes. So no process overwrites the numbers of
 * another. A process that ends after a few calls only leaves its journal, and a later process counts it
 * (`uncounted-journals.ts`). A file that can't be read is moved aside. Without a file, everything is kept in memory.
 */
import { access, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HostError, isHostError, toHostError } from "@plugboard/contracts";
import type { CallStats, CallStatsQuery, Json, Clock } from "@plugboard/contracts";
import { withLock, StateFile } from "@plugboard/store";
import { CallCounter } from "./call-counter.ts";
import type { EndedCall } from "./call-cell.ts";
import { CallHistory } from "./call-history.ts";
import { JOURNAL_FOLDER } from "./journal-files.ts";
import { checkCallStatsQuery, summarizeCalls } from "./summarize-calls.ts";
import { countJournal, leaveUncounted, listUncounted, markCounted } from "./uncounted-journals.ts";

export interface CallStatsStoreOptions {
  /** Returns undefined if nothing may be written. Called before each use, because the state folder is checked later. */
  readonly file: () => string | undefined;
  readonly clock: Clock;
  /** Called for the first failure. Called again only after a successful write. */
  readonly onFailed: (error: HostError) => void;
}

const WRITE_DELAY_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2000;
/** A process with more calls adds them to the file itself, instead of leaving them to a later process. */
const MAX_LEFT_CALLS = 8;
/**
 * If there are more uncounted files, the process that leaves the next file counts them all. The limit is below the
 * number of files that the journal keeps, so none is deleted uncounted.
 */
const MAX_UNCOUNTED_FILES = 64;

interface StoredStats {
  readonly history: CallHistory;
  /**
   * The journal files that the last write has counted. A process that died after the write has not renamed them, so
   * they may still have the names of uncounted files.
   */
  readonly counted: readonly string[];
}

export class CallStatsStore {
  readonly #options: CallStatsStoreOptions;
  /** The calls of this process, while they are few and nobody has asked for their numbers. */
  #firstCalls: EndedCall[] = [];
  /** True if this process has left its journal file uncounted, so that another process adds the first calls. */
  #leftInJournal = false;
  #counter: CallCounter | undefined;
  /** The numbers that this process has counted since its last write. */
  #unwritten: CallHistory | undefined;
  /** The content of the file when it was last read. The stamp changes when the file changes. */
  #read: { readonly history: CallHistory; readonly stamp: string } | undefined;
  /** Reads and writes run one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;
  #failing = false;
  #closing: Promise<void> | undefined;

  constructor(options: CallStatsStoreOptions) {
    this.#options = options;
  }

  get counter(): CallCounter {
    if (this.#counter) return this.#counter;
    const counter = (this.#counter = new CallCounter((this.#unwritten = new CallHistory())));
    for (const call of this.#firstCalls) counter.record(call);
    this.#firstCalls = [];
    // Another process writes the first calls, so they are not among the numbers that this process writes.
    if (this.#leftInJournal) counter.moveTo((this.#unwritten = new CallHistory()));
    return counter;
  }

  record(call: EndedCall): void {
    if (this.#counter || this.#firstCalls.length === MAX_LEFT_CALLS) this.counter.record(call);
    else this.#firstCalls.push(call);
    if (this.#cancelTimer || this.#closing) return;
    this.#cancelTimer = this.#options.clock.after(WRITE_DELAY_MS, () => void this.flush(), { background: true });
  }

  /** Returns the numbers of all processes. Throws USAGE for an invalid query. */
  async stats(query: CallStatsQuery = {}): Promise<CallStats> {
    checkCallStatsQuery(query);
    return this.#enqueue(async () => {
      if (await this.#hasUncounted()) await this.#write();
      const stored = await this.#readFile();
      const own = this.#countOwn();
      return summarizeCalls([...(stored ? [stored] : []), own], query, this.#options.clock.now());
    });
  }

  /** Adds the numbers to the file. Keeps them if that fails. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    return this.#enqueue(() => this.#write());
  }

  /**
   * Writes the remaining numbers, but gives up after two seconds. `journalFile` is the journal file of this process, if
   * it has all its calls.
   */
  close(journalFile?: string): Promise<void> {
    return (this.#closing ??= this.#close(journalFile));
  }

  async #close(journalFile: string | undefined): Promise<void> {
    if (!this.#counter && this.#firstCalls.length === 0) return;
    const mayLeave = !this.#counter && journalFile !== undefined && this.#options.file() !== undefined;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#options.clock.after(CLOSE_TIMEOUT_MS, resolve);
      void (mayLeave ? this.#leave(journalFile) : this.flush()).then(() => (stopWaiting(), resolve()));
    });
  }

  /** Leaves the calls to a later process. Counts all left calls itself if too many files are uncounted. */
  async #leave(journalFile: string): Promise<void> {
    this.#cancelTimer?.();
    try {
      await leaveUncounted(journalFile);
    } catch {
      return this.flush();
    }
    this.#leftInJournal = true;
    const uncounted = await listUncounted(dirname(journalFile)).catch(() => []);
    if (uncounted.length > MAX_UNCOUNTED_FILES) await this.flush();
  }

  /** Runs the work after all work before it. `work` must not reject, because later work would then reject too. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done;
    return done;
  }

  /** Returns the numbers of this process that are not in the file. With `next`, later calls are counted there. */
  #countOwn(next?: CallHistory): CallHistory {
    const { counter } = this;
    const own = this.#unwritten!;
    counter.moveTo(next ?? own);
    this.#unwritten = next ?? own;
    return own;
  }

  async #write(): Promise<void> {
    const file = this.#options.file();
    const added = this.#countOwn(file === undefined ? undefined : new CallHistory());
    added.trim(this.#options.clock.now());
    if (file === undefined || (added.isEmpty && !(await this.#hasUncounted()))) return;
    try {
      await this.#addToFile(file, added);
      this.#failing = false;
    } catch (error) {
      this.#reportFailure(error);
      this.#unwritten!.merge(added);
    }
  }

  async #addToFile(file: string, added: CallHistory): Promise<void> {
    const folder = join(dirname(file), JOURNAL_FOLDER);
    const add = () =>
      openFile(file).update(async ({ history, counted: before }) => {
        history.merge(added);
        // Listed under the lock, so that no other process counts the same files.
        const counted = await listUncounted(folder);
        for (const name of counted) if (!before.includes(name)) await countJournal(folder, name, history);
        history.trim(this.#options.clock.now());
        return { history, counted };
      });
    let stored: StoredStats;
    try {
      stored = await add();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      await this.#moveAside(file, error);
      stored = await add();
    }
    await markCounted(folder, stored.counted);
  }

  async #hasUncounted(): Promise<boolean> {
    const file = this.#options.file();
    if (file === undefined) return false;
    return (await listUncounted(join(dirname(file), JOURNAL_FOLDER)).catch(() => [])).length > 0;
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
    const movedTo = await withLock(file, async () => {
      // Another process may have moved the damaged file meanwhile, and written a new one.
      if (await succeeds(openFile(file).read())) return undefined;
      const aside = await unusedName(`${file}.damaged`);
      await rename(file, aside);
      return aside;
    });
    if (movedTo === undefined) return;
    const reason = "it is damaged, so the statistics of calls start from zero";
    this.#options.onFailed(new HostError("STORE_UNREADABLE", { file, reason, movedTo }, { cause }));
  }

  #reportFailure(error: unknown): void {
    if (!this.#failing) this.#options.onFailed(toHostError(error));
    this.#failing = true;
  }
}

/** A missing file reads as an empty history. */
function openFile(file: string): StateFile<StoredStats & { readonly version?: never }> {
  return new StateFile(file, {
    initial: { history: new CallHistory(), counted: [] },
    parse: (data) => {
      const history = CallHistory.parse(data["history"]);
      const counted = data["counted"] ?? [];
      return history && isTexts(counted) ? { history, counted } : undefined;
    },
  });
}

/** Returns the name, with a number at its end if a file already has it. */
async function unusedName(name: string): Promise<string> {
  let unused = name;
  for (let number = 2; await succeeds(access(unused)); number++) unused = `${name}.${number}`;
  return unused;
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function isUnreadable(error: unknown): boolean {
  return isHostError(error) && error.code === "STORE_UNREADABLE";
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
