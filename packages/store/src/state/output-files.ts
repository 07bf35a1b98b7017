/**
 * Stores results of tools that are too long for a model, and reads them in pages. Deletes a text after a week. Deletes
 * the oldest texts earlier if there are too many, or if they use too much space. Files are UTF-16, so that a page is
 * found by its offset in characters. A page never splits a surrogate pair.
 */
import { randomBytes } from "node:crypto";
import { open, readdir, rm, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { HostError, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { ioErrorCode, unwritableError } from "../files/io-error.ts";
import { makeFolder } from "../files/make-folder.ts";

export interface OutputFilesOptions {
  readonly clock?: Clock | undefined;
  readonly maxBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}

export interface OutputPage {
  readonly text: string;
  /** The start of the page. One less than requested if the requested offset is inside a surrogate pair. */
  readonly offset: number;
  /** The start of the next page. Undefined on the last page. */
  readonly next?: number;
  readonly total: number;
}

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 1000;
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_PAGE_CHARS = 1024 * 1024;
/** File sizes are rounded up to whole blocks, so that many small files reach the limit too. */
const BLOCK_BYTES = 4096;
const ID = /^[0-9a-f]{32}$/;
/** Tells editors that the file is UTF-16. */
const BOM = Buffer.from([0xff, 0xfe]);

export class OutputFiles {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  readonly #maxAgeMs: number;

  constructor(stateFolder: string, options: OutputFilesOptions = {}) {
    this.#folder = join(stateFolder, "outputs");
    this.#clock = options.clock ?? systemClock;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#maxFiles = options.maxFiles ?? MAX_FILES;
    this.#maxAgeMs = options.maxAgeMs ?? MAX_AGE_MS;
  }

  /** Returns a random id for reading the text. */
  async save(text: string): Promise<string> {
    const id = randomBytes(16).toString("hex");
    const file = this.#fileOf(id);
    const data = Buffer.concat([BOM, Buffer.from(text, "utf16le")]);
    if (sizeOnDisk(data.length) > this.#maxBytes) {
      throw new HostError("STORE_UNWRITABLE", { file, reason: `it is over ${this.#maxBytes} bytes` });
    }
    try {
      await makeFolder(this.#folder);
      await this.#evictOldest(sizeOnDisk(data.length));
      await writeFile(file, data, { flag: "wx", mode: 0o600 });
    } catch (error) {
      await rm(file, { force: true }).catch(() => {});
      throw unwritableError(file, error);
    }
    return id;
  }

  async read(id: string, { offset, limit }: { readonly offset: number; readonly limit: number }): Promise<OutputPage> {
    if (!ID.test(id)) throw notFoundError();
    if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(limit) || limit < 1) {
      throw new HostError("INVALID_ARGUMENTS", {
        reason: "offset must be a whole number of at least 0, and limit of at least 1",
      });
    }
    const file = await this.#open(id);
    try {
      const { size, mtimeMs } = await file.stat();
      if (this.#clock.now() - mtimeMs > this.#maxAgeMs) throw notFoundError();
      const total = Math.max(0, Math.floor((size - BOM.length) / 2));
      return await readPage(file, Math.min(offset, total), Math.min(limit, MAX_PAGE_CHARS), total);
    } finally {
      await file.close();
    }
  }

  /** Deletes the texts that have expired, and the oldest if there are too many. */
  async deleteExpired(): Promise<void> {
    try {
      await this.#evictOldest(0);
    } catch (error) {
      // Without the folder, nothing is stored.
      if (ioErrorCode(error) !== "ENOENT") throw unwritableError(this.#folder, error);
    }
  }

  async #open(id: string): Promise<FileHandle> {
    const path = this.#fileOf(id);
    try {
      return await open(path, "r");
    } catch (error) {
      if (ioErrorCode(error) === "ENOENT") throw notFoundError();
      const reason = `it can't be read (${ioErrorCode(error)})`;
      throw new HostError("STORE_UNREADABLE", { file: path, reason }, { cause: error });
    }
  }

  /** Deletes expired files, then the oldest until the new one fits. */
  async #evictOldest(neededBytes: number): Promise<void> {
    const names = await readdir(this.#folder);
    const outputs = await Promise.all(names.map((name) => this.#statOutput(name)));
    let usedBytes = neededBytes;
    const newestFirst = outputs.flat().toSorted((a, b) => a.age - b.age);
    for (const [index, { path, size, age }] of newestFirst.entries()) {
      usedBytes += size;
      const fits = usedBytes <= this.#maxBytes && index + 1 < this.#maxFiles;
      if (!fits || age > this.#maxAgeMs) await rm(path, { force: true });
    }
  }

  /** Returns an empty list if another process has deleted the file. */
  async #statOutput(name: string): Promise<{ readonly path: string; readonly size: number; readonly age: number }[]> {
    const path = join(this.#folder, name);
    const stats = await stat(path).catch(() => undefined);
    return stats ? [{ path, size: sizeOnDisk(stats.size), age: this.#clock.now() - stats.mtimeMs }] : [];
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.txt`);
  }
}

async function readPage(file: FileHandle, from: number, limit: number, total: number): Promise<OutputPage> {
  // Reads one more character on each side to detect a split pair.
  const first = Math.max(0, from - 1);
  const units = await readUnits(file, first, Math.min(total, from + limit + 1) - first);
  const start = splitsSurrogatePair(units, from - first) ? from - 1 : from;
  let end = Math.min(total, from + limit);
  // Leaves a split pair to the next page, unless this page would be empty.
  if (splitsSurrogatePair(units, end - first)) end = end - 1 > start ? end - 1 : end + 1;
  const text = units.slice(start - first, end - first);
  return { text, offset: start, ...(end < total && { next: end }), total };
}

/** Reads UTF-16 code units. */
async function readUnits(file: FileHandle, from: number, count: number): Promise<string> {
  const bytes = Buffer.alloc(count * 2);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, BOM.length + from * 2);
  return bytes.toString("utf16le", 0, bytesRead);
}

/** Returns true if the offset is between the two halves of a surrogate pair. */
function splitsSurrogatePair(units: string, offset: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(units.slice(Math.max(0, offset - 1), offset + 1));
}

function sizeOnDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function notFoundError(): HostError {
  return new HostError("NOT_FOUND", { subject: "stored output with this id" });
}
