/**
 * A file of JSON values, one per line, that grows by appending. The first line has the version. One process at a time
 * writes it. A line that a crash has cut off is ignored. Reading a damaged file throws STORE_UNREADABLE.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { ioErrorCode, unwritableError } from "./io-error.ts";
import { makeFolder } from "./make-folder.ts";
import { writeAtomically } from "./write-atomically.ts";

const VERSION = 1;

// On Windows O_NOFOLLOW and O_NONBLOCK are undefined, which `|` treats as 0. O_NONBLOCK keeps a pipe from blocking
// `open`.
const { O_RDONLY, O_WRONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

export class JsonLinesFile {
  readonly file: string;
  /** The size after the last complete line that this process has read or written. */
  #size: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** Returns undefined if there is no file. */
  async read(): Promise<JsonObject[] | undefined> {
    const text = await this.#readText();
    if (text === undefined) return undefined;
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    const [header, ...lines] = complete
      .split("\n")
      .slice(0, -1)
      .map((line) => this.#parseLine(line));
    if (header?.["version"] !== VERSION) throw this.#unreadable("its version is unknown; update Plugboard");
    this.#size = Buffer.byteLength(complete);
    return lines;
  }

  /**
   * Returns false, and writes nothing, if the file is not as this process has left it. The lines survive the end of the
   * process, but not always a power cut, because waiting for the disk takes too long.
   */
  async append(lines: readonly object[]): Promise<boolean> {
    if (this.#size === undefined) return false;
    const text = toText(lines);
    return this.#useFile(O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK, async (file) => {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size !== this.#size) return false;
      await file.writeFile(text);
      this.#size += Buffer.byteLength(text);
      return true;
    });
  }

  /** Replaces the whole file. */
  async replace(lines: readonly object[]): Promise<void> {
    const text = toText([{ version: VERSION }, ...lines]);
    this.#size = undefined;
    try {
      await makeFolder(dirname(this.file));
    } catch (error) {
      throw unwritableError(this.file, error);
    }
    await writeAtomically(this.file, text);
    this.#size = Buffer.byteLength(text);
  }

  async #useFile(flags: number, use: (file: FileHandle) => Promise<boolean>): Promise<boolean> {
    try {
      const file = await open(this.file, flags);
      try {
        return await use(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      // Somebody has removed the file.
      if (ioErrorCode(error) === "ENOENT") return false;
      throw unwritableError(this.file, error);
    }
  }

  async #readText(): Promise<string | undefined> {
    try {
      const file = await open(this.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) throw this.#unreadable("it is not a regular file");
        return await file.readFile("utf8");
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof HostError) throw error;
      const code = ioErrorCode(error);
      if (code === "ENOENT") return undefined;
      throw this.#unreadable(`it can't be read (${code})`, error);
    }
  }

  #parseLine(line: string): JsonObject {
    try {
      const value: unknown = JSON.parse(line);
      if (isJsonObject(value)) return value;
    } catch (error) {
      throw this.#unreadable("it is damaged: a line is not JSON", error);
    }
    throw this.#unreadable("it is damaged: a line is not an object");
  }

  #unreadable(reason: string, cause?: unknown): HostError {
    return new HostError("STORE_UNREADABLE", { file: this.file, reason }, { cause });
  }
}

function toText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
