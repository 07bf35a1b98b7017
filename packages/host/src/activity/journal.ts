/**
 * What happened, for later: one line of JSON a fact, in files of the state
 * folder that only their owner can read. Written behind, so that a fact costs
 * its maker next to nothing and a disk that is full, slow or gone fails no call.
 * Each run of a program writes files of its own; nothing is locked.
 */
import { appendFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { ActivityEntry, HostEvent } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { dropOldest, journalFile } from "./journal-files.ts";
import type { Room } from "./journal-files.ts";
import { toEntry } from "./to-entry.ts";
import { makeFolder } from "../store/make-folder.ts";

export interface JournalOptions {
  /** Made with the first line. */
  readonly folder: string;
  readonly clock: Clock;
  readonly pid: number;
  /** Told once, until it could be written again. */
  readonly onFailed: (error: Error) => void;
  readonly limits?: Partial<JournalLimits>;
}

export interface JournalLimits extends Room {
  /** After so many a new file is begun. */
  readonly fileBytes: number;
  /** How many entries wait for the disk; what comes then is lost, and counted. */
  readonly waiting: number;
}

const DEFAULT_LIMITS: JournalLimits = {
  fileBytes: 4 * 1024 * 1024,
  // Short runs leave short files: they are not to push out what was long.
  files: 256,
  totalBytes: 64 * 1024 * 1024,
  waiting: 10_000,
};

const WRITE_AFTER_MS = 250;
const AGAIN_AFTER_MS = 5000;
const CLOSE_MS = 2000;
/** What is written at a time, so that a file is hardly ever larger than it should be. */
const LINES = 1000;

interface CurrentFile {
  readonly path: string;
  /** The length of the complete lines in the file. */
  bytes: number;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #limits: JournalLimits;
  #waiting: ActivityEntry[] = [];
  #lost = 0;
  #file: CurrentFile | undefined;
  #stopTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;
  #closed = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  readonly note = (event: HostEvent): void => {
    const entry = toEntry(event);
    if (!entry || this.#closed) return;
    if (this.#waiting.length >= this.#limits.waiting) this.#lost += 1;
    else this.#waiting.push(entry);
    this.#writeIn(WRITE_AFTER_MS);
  };

  /** Resolves when what was noted is written, or could not be. */
  async flush(): Promise<void> {
    // What is being written began before the latest was noted.
    await this.#writing;
    await this.#write();
  }

  /** Writes what waits, unless the disk takes too long; what is noted afterwards is not kept. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const stopWaiting = clock.after(CLOSE_MS, resolve);
      void this.flush().then(() => (stopWaiting(), resolve()));
    });
    this.#closed = true;
    this.#stopTimer?.();
  }

  #writeIn(ms: number): void {
    if (this.#stopTimer || this.#writing || this.#closed) return;
    this.#stopTimer = this.#options.clock.after(ms, () => void this.#write(), true);
  }

  #write(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#writeIn(this.#failing ? AGAIN_AFTER_MS : WRITE_AFTER_MS);
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      // What is noted meanwhile waits for the next time: a busy host is not to open its file for every few lines.
      let due = this.#waiting.length;
      while (due > 0) {
        const entries = this.#waiting.slice(0, Math.min(due, LINES));
        await this.#append(entries.map(toLine).join(""));
        this.#waiting = this.#waiting.slice(entries.length);
        this.#failing = false;
        due -= entries.length;
        if (this.#lost > 0) due = this.#waiting.push(this.#takeLost());
      }
    } catch (error) {
      if (!this.#failing) this.#options.onFailed(error as Error);
      this.#failing = true;
    }
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    if (this.#file && this.#file.bytes + bytes > this.#limits.fileBytes) this.#file = undefined;
    const file = (this.#file ??= await this.#begin());
    try {
      await appendFile(file.path, text, { mode: 0o600 });
    } catch (error) {
      await this.#undo(file);
      throw error;
    }
    const isNew = file.bytes === 0;
    file.bytes += bytes;
    // Deletes old files only after the write, so that a full disk keeps them. Retries with the next file.
    if (isNew) await dropOldest(file.path, this.#limits).catch(() => {});
  }

  async #begin(): Promise<CurrentFile> {
    const { folder, clock, pid } = this.#options;
    await makeFolder(folder);
    for (let turn = 0; ; turn++) {
      const path = join(folder, journalFile(clock.now(), pid, turn));
      // Another journal of this process may have had the same moment.
      if (await make(path)) return { path, bytes: 0 };
    }
  }

  /** Truncates a partial write. If that fails, the next text starts a new file. */
  async #undo({ path, bytes }: CurrentFile): Promise<void> {
    try {
      if (bytes > 0) return await truncate(path, bytes);
      this.#file = undefined;
      await rm(path, { force: true });
    } catch {
      this.#file = undefined;
    }
  }

  #takeLost(): ActivityEntry {
    const entries = this.#lost;
    this.#lost = 0;
    return { type: "lost", at: this.#options.clock.now(), entries };
  }
}

function toLine(entry: ActivityEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

async function make(path: string): Promise<boolean> {
  try {
    await appendFile(path, "", { mode: 0o600, flag: "ax" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
