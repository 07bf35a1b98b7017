/**
 * Writes the activity journal: one line of JSON per entry, in files that only their owner can read. Writes in the
 * background, so that a slow or full disk never fails a call. Every process writes its own files, so no lock is needed.
 */
import { appendFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { HostEvent, Clock } from "@plugboard/contracts";
import { JournalBatch } from "./journal-batch.ts";
import { deleteOldestFiles, journalFileName } from "./journal-files.ts";
import type { JournalQuota } from "./journal-files.ts";
import { isRecorded } from "./journal-line.ts";
import { RepeatedEvents } from "./repeated-events.ts";
import { makeFolder } from "@plugboard/store";

export interface JournalOptions {
  /** Created with the first entry. */
  readonly folder: string;
  readonly clock: Clock;
  readonly pid: number;
  /** Called when a write fails, and not again until a write has succeeded. */
  readonly onFailed: (error: Error) => void;
  readonly limits?: Partial<JournalLimits>;
}

export interface JournalLimits extends JournalQuota {
  /** The size at which a new file is started. */
  readonly maxFileBytes: number;
  /** The number of entries that wait for the disk. Further entries are dropped and counted. */
  readonly maxQueued: number;
}

const DEFAULT_LIMITS: JournalLimits = {
  maxFileBytes: 4 * 1024 * 1024,
  // Every short run leaves a small file. Many small files must not cause the deletion of a large one.
  maxFiles: 256,
  maxTotalBytes: 64 * 1024 * 1024,
  maxQueued: 10_000,
};

const WRITE_DELAY_MS = 250;
const RETRY_DELAY_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;
/** Limits one write, so that a file rarely exceeds its size. */
const MAX_BATCH_LINES = 1000;

interface CurrentFile {
  readonly path: string;
  /** The length of the complete lines in the file. */
  bytes: number;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #limits: JournalLimits;
  /** The lines that wait for the disk, oldest first. New lines go into the last batch. */
  #batches: JournalBatch[] = [];
  readonly #repeated = new RepeatedEvents();
  #queued = 0;
  #dropped = 0;
  #file: CurrentFile | undefined;
  /** True if the current file does not have all entries of this journal. */
  #isIncomplete = false;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;
  #closed = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  readonly record = (event: HostEvent): void => {
    if (!isRecorded(event) || this.#closed || this.#repeated.isRepeated(event)) return;
    if (this.#queued >= this.#limits.maxQueued) this.#dropped += 1;
    else this.#nextBatch().add(event);
    this.#scheduleWrite(WRITE_DELAY_MS);
  };

  /** Resolves when all entries are written, or the write has failed. */
  async flush(): Promise<void> {
    // The running write does not include the latest entries.
    await this.#writing;
    await this.#write();
  }

  /** The file that has all entries of this journal, if there is one. */
  get completeFile(): string | undefined {
    return this.#queued === 0 && !this.#isIncomplete ? this.#file?.path : undefined;
  }

  /** Writes the waiting entries, unless the disk takes too long. Ignores later entries. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const stopWaiting = clock.after(CLOSE_TIMEOUT_MS, resolve);
      void this.flush().then(() => (stopWaiting(), resolve()));
    });
    this.#closed = true;
    this.#cancelTimer?.();
  }

  #scheduleWrite(ms: number): void {
    if (this.#cancelTimer || this.#writing || this.#closed) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => void this.#write(), { background: true });
  }

  #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#queued > 0) this.#scheduleWrite(this.#failing ? RETRY_DELAY_MS : WRITE_DELAY_MS);
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      // Entries that arrive meanwhile wait for the next write, so that a busy host writes in large batches.
      // `due` is the number of batches that are still to be written.
      for (let due = this.#batches.length; due > 0; due--) {
        await this.#writeFirst();
        this.#failing = false;
        if (this.#dropped > 0) {
          // Appends an entry that counts the dropped entries. Then writes all waiting batches, so that this entry
          // reaches the disk soon.
          this.#nextBatch().addLoss(this.#options.clock.now(), this.#dropped);
          this.#dropped = 0;
          this.#isIncomplete = true;
          // The loop subtracts one before the next batch.
          due = this.#batches.length + 1;
        }
      }
    } catch (error) {
      if (!this.#failing) this.#options.onFailed(error as Error);
      this.#failing = true;
    }
  }

  /** Returns the batch for one more line, and counts the line. A batch that is being written or full gets no more. */
  #nextBatch(): JournalBatch {
    let batch = this.#batches.at(-1);
    if (!batch || batch.isSealed || batch.lines === MAX_BATCH_LINES) this.#batches.push((batch = new JournalBatch()));
    this.#queued += 1;
    return batch;
  }

  /**
   * Writes the oldest batch. Entries that arrive meanwhile go into another batch. If the write fails, the batch stays.
   */
  async #writeFirst(): Promise<void> {
    const batch = this.#batches[0]!;
    batch.isSealed = true;
    try {
      await this.#append(batch.bytes);
    } catch (error) {
      batch.isSealed = false;
      throw error;
    }
    this.#batches.shift();
    this.#queued -= batch.lines;
  }

  async #append(text: Buffer): Promise<void> {
    const bytes = text.length;
    if (this.#file && this.#file.bytes + bytes > this.#limits.maxFileBytes) {
      this.#file = undefined;
      this.#isIncomplete = true;
    }
    const file = (this.#file ??= await this.#createFile());
    try {
      await appendFile(file.path, text, { mode: 0o600 });
    } catch (error) {
      await this.#rollBack(file);
      throw error;
    }
    const isNew = file.bytes === 0;
    file.bytes += bytes;
    // Deletes old files only after a successful write, so that a full disk keeps
    // them. If that fails, the next file retries.
    if (isNew) await deleteOldestFiles(file.path, this.#limits).catch(() => {});
  }

  async #createFile(): Promise<CurrentFile> {
    const { folder, clock, pid } = this.#options;
    await makeFolder(folder);
    for (let attempt = 0; ; attempt++) {
      const path = join(folder, journalFileName(clock.now(), pid, attempt));
      // Another journal of this process may have created a file at the same time.
      if (await createExclusive(path)) return { path, bytes: 0 };
    }
  }

  /** Removes a partial write. If that fails, the next batch starts a new file. */
  async #rollBack({ path, bytes }: CurrentFile): Promise<void> {
    try {
      if (bytes > 0) return await truncate(path, bytes);
      this.#file = undefined;
      await rm(path, { force: true });
    } catch {
      this.#file = undefined;
      this.#isIncomplete = true;
    }
  }
}

async function createExclusive(path: string): Promise<boolean> {
  try {
    await appendFile(path, "", { mode: 0o600, flag: "ax" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
