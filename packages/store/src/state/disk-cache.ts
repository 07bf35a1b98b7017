/**
 * A cache of texts, each in its own file. Reads synchronously, writes with a delay, and deletes the oldest files.
 * Treats a file that can't be read as missing. Reports a failing disk once, and again only after a write has succeeded.
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { ioErrorCode, unwritableError } from "../files/io-error.ts";
import { writeAtomically } from "../files/write-atomically.ts";
import { makeFolder } from "../files/make-folder.ts";

interface DiskCacheOptions {
  readonly onFailed: (error: HostError) => void;
  readonly clock: Clock;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const WRITE_DELAY_MS = 100;
const STALE_TEMP_FILE_MS = 3_600_000;

export class DiskCache {
  readonly #folder: string;
  readonly #options: DiskCacheOptions;
  readonly #pendingWrites = new Map<string, () => string>();
  #cancelWriting: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(folder: string, options: DiskCacheOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** `name` must be a valid file name. */
  get(name: string): string | undefined {
    const makePendingText = this.#pendingWrites.get(name);
    if (makePendingText) return makePendingText();
    try {
      return this.#read(join(this.#folder, name));
    } catch (error) {
      if (ioErrorCode(error) !== "ENOENT") this.#reportFailure(unreadableError(join(this.#folder, name), error));
      return undefined;
    }
  }

  /** Returns when the text was set last, in milliseconds since 1970. Undefined if there is none. */
  timeOf(name: string): number | undefined {
    if (this.#pendingWrites.has(name)) return this.#options.clock.now();
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Schedules a write. Calls `makeText` when the file is written or read. */
  set(name: string, makeText: () => string): void {
    this.#pendingWrites.set(name, makeText);
    const [oldest] = this.#pendingWrites.keys();
    if (oldest !== undefined && this.#pendingWrites.size > this.#options.maxFiles) this.#pendingWrites.delete(oldest);
    this.#cancelWriting ??= this.#options.clock.after(WRITE_DELAY_MS, () => void this.flush(), { background: true });
  }

  /** Resolves when everything that was set is written or has failed. */
  flush(): Promise<void> {
    this.#cancelWriting?.();
    this.#cancelWriting = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #read(file: string): string | undefined {
    // On Windows O_NOFOLLOW and O_NONBLOCK are undefined, which `|` treats as 0.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(descriptor);
      return size > this.#options.maxBytes ? undefined : readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  }

  async #write(): Promise<void> {
    if (this.#pendingWrites.size === 0) return;
    try {
      await makeFolder(this.#folder);
      for (const [name, makeText] of this.#pendingWrites) {
        await this.#writeOne(join(this.#folder, name), makeText());
        // A newer text that was set during the write is still pending.
        if (this.#pendingWrites.get(name) === makeText) this.#pendingWrites.delete(name);
      }
      await this.#prune();
      this.#failing = false;
    } catch (error) {
      // Keeps unwritten texts in memory and retries with the next write.
      this.#reportFailure(error instanceof HostError ? error : unwritableError(this.#folder, error));
    }
  }

  async #writeOne(file: string, text: string): Promise<void> {
    // A text that is too large is not stored, but the older text in the file is outdated.
    if (Buffer.byteLength(text) > this.#options.maxBytes) return rm(file, { force: true });
    if (this.#hasText(file, text)) return this.#markUsed(file);
    await writeAtomically(file, text, { tempSuffix: `.${randomBytes(6).toString("hex")}` });
  }

  #hasText(file: string, text: string): boolean {
    try {
      return this.#read(file) === text;
    } catch {
      return false;
    }
  }

  /** Sets the time of the last write, because the oldest files are deleted first. */
  async #markUsed(file: string): Promise<void> {
    const now = new Date(this.#options.clock.now());
    await utimes(file, now, now);
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder);
    const isTempFile = (name: string) => name.endsWith(".new");
    if (names.length <= this.#options.maxFiles && !names.some(isTempFile)) return;
    const files = await Promise.all(names.map((name) => this.#ageOf(name)));
    const staleTempFiles = files.filter(({ name, age }) => isTempFile(name) && age > STALE_TEMP_FILE_MS);
    const entries = files.filter(({ name }) => !isTempFile(name)).toSorted((a, b) => a.age - b.age);
    for (const { name } of [...staleTempFiles, ...entries.slice(this.#options.maxFiles)]) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Treats a file that another process has deleted as very old. */
  async #ageOf(name: string): Promise<{ readonly name: string; readonly age: number }> {
    const stats = await stat(join(this.#folder, name)).catch(() => undefined);
    return { name, age: this.#options.clock.now() - (stats?.mtimeMs ?? 0) };
  }

  #reportFailure(error: HostError): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.onFailed(error);
  }
}

function unreadableError(file: string, error: unknown): HostError {
  return new HostError(
    "STORE_UNREADABLE",
    { file, reason: `it can't be read (${ioErrorCode(error)})` },
    { cause: error },
  );
}
