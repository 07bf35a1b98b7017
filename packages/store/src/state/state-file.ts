/**
 * A JSON state file that several processes read and change. Each change is applied to the current content under a
 * lock. Reading a file that is damaged, or written by a newer version, throws STORE_UNREADABLE. Such a file is never
 * overwritten.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { withLock } from "../files/file-lock.ts";
import type { LockOptions } from "../files/file-lock.ts";
import { ioErrorCode, unwritableError } from "../files/io-error.ts";
import { writeAtomically } from "../files/write-atomically.ts";
import { makeFolder } from "../files/make-folder.ts";

export interface StateSchema<T> {
  /** The value of a missing file. */
  readonly initial: T;
  /** Receives the content without `version`. Returns undefined if it is not valid. */
  parse(data: JsonObject): T | undefined;
  /** The first migrates version 1 to version 2, and so on. */
  readonly migrations?: readonly ((data: JsonObject) => JsonObject)[];
}

export class StateFile<T extends object & { readonly version?: never }> {
  readonly file: string;
  readonly #schema: StateSchema<T>;
  readonly #version: number;

  constructor(file: string, schema: StateSchema<T>) {
    this.file = file;
    this.#schema = schema;
    this.#version = 1 + (schema.migrations?.length ?? 0);
  }

  async read(): Promise<T> {
    const text = await this.#readText();
    return text === undefined ? this.#schema.initial : this.#parse(text);
  }

  /** `change` receives the current content. Nothing is written if it returns the same object. */
  async update(change: (current: T) => T | Promise<T>, options?: LockOptions): Promise<T> {
    try {
      await makeFolder(dirname(this.file));
    } catch (error) {
      throw unwritableError(this.file, error);
    }
    return withLock(
      this.file,
      async () => {
        const current = await this.read();
        const next = await change(current);
        if (next === current) return current;
        await this.replace(next);
        return next;
      },
      options,
    );
  }

  /** Writes the file without a lock and without reading it. Expects that the caller excludes other writers. */
  async replace(next: T): Promise<void> {
    await writeAtomically(this.file, `${JSON.stringify({ version: this.#version, ...next }, undefined, 2)}\n`);
  }

  async #readText(): Promise<string | undefined> {
    // On Windows O_NOFOLLOW and O_NONBLOCK are undefined, which `|` treats as 0.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    try {
      const file = await open(this.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) throw this.#unreadableError("it is not a file; move it away");
        return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof HostError) throw error;
      const code = ioErrorCode(error);
      if (code === "ENOENT") return undefined;
      if (code === "ELOOP" || code === "EMLINK")
        throw this.#unreadableError("it is a symbolic link; move it away", error);
      if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") throw this.#damagedError("it is not UTF-8", error);
      throw this.#unreadableError(`it can't be read (${code})`, error);
    }
  }

  #parse(text: string): T {
    let stored: unknown;
    try {
      stored = JSON.parse(text);
    } catch (error) {
      throw this.#damagedError(text.trim() === "" ? "it is empty" : "it is not JSON", error);
    }
    if (!isJsonObject(stored)) throw this.#damagedError("it is not an object");
    const { version, ...data } = stored;
    if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
      throw this.#damagedError('it has no "version"');
    }
    if (version > this.#version) {
      const versions = `it has version ${version}, and this Plugboard supports version ${this.#version}`;
      throw this.#unreadableError(`a newer version of Plugboard has written it (${versions}); update Plugboard`);
    }
    const migrated = (this.#schema.migrations ?? [])
      .slice(version - 1)
      .reduce<JsonObject>((migratedData, migrate) => migrate(migratedData), data);
    const value = this.#schema.parse(migrated);
    if (value === undefined) throw this.#damagedError("its content is not valid");
    return value;
  }

  #damagedError(damage: string, cause?: unknown): HostError {
    return this.#unreadableError(
      `it is damaged: ${damage}; restore it, or move it away to start with an empty one`,
      cause,
    );
  }

  #unreadableError(reason: string, cause?: unknown): HostError {
    return new HostError("STORE_UNREADABLE", { file: this.file, reason }, { cause });
  }
}
