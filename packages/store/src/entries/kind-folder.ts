/**
 * The folder of one kind of entries. Each entry has its own JSON file, so that a write touches one small file, and
 * damage affects one entry. The name of a file is the hash of its key, because a key may have any characters and any
 * length.
 */
import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HostError, isHostError, isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { ioErrorCode, unwritableError } from "../files/io-error.ts";
import { makeFolder } from "../files/make-folder.ts";
import { syncFolder } from "../files/write-atomically.ts";
import { StateFile } from "../state/state-file.ts";
import type { StateSchema } from "../state/state-file.ts";
import type { Entry } from "./entry-store.ts";

/**
 * The content of a file, or `{}` if there is no file. `revision` is the version of the entry, not of the file format.
 */
interface StoredEntry {
  readonly key?: string;
  readonly revision?: string;
  readonly expires_at?: number;
  readonly value?: JsonObject;
}

const ENTRY_NAME = /^[0-9a-f]{64}\.json$/;
const TEMP_NAME = /^\.[0-9a-f]{64}\.json\.new$/;

const SCHEMA: StateSchema<StoredEntry> = {
  initial: {},
  parse: ({ key, revision, expires_at, value }) => {
    if (typeof key !== "string" || typeof revision !== "string" || !isJsonObject(value)) return undefined;
    if (expires_at !== undefined && typeof expires_at !== "number") return undefined;
    return { key, revision, ...(expires_at !== undefined && { expires_at }), value };
  },
};

export class KindFolder {
  readonly path: string;

  constructor(root: string, kind: string) {
    this.path = join(root, kind);
  }

  /** The file name of a key. */
  nameOf(key: string): string {
    // Hashes the JSON, because UTF-8 encodes all lone surrogates alike, so that different keys would get one name.
    return `${createHash("sha256").update(JSON.stringify(key)).digest("hex")}.json`;
  }

  /** Throws STORE_UNREADABLE if the file is damaged, or was written by a newer version. */
  async read(name: string): Promise<Entry | undefined> {
    const stateFile = this.#stateFile(name);
    const { key, revision, expires_at: expiresAt, value } = await stateFile.read();
    if (key === undefined || revision === undefined || value === undefined) return undefined;
    if (this.nameOf(key) !== name) {
      const reason = "it is damaged: it has the name of another entry; move it away";
      throw new HostError("STORE_UNREADABLE", { file: stateFile.file, reason });
    }
    return { key, version: revision, value, ...(expiresAt !== undefined && { expiresAt }) };
  }

  /** Expects that the caller holds the lock of the kind. */
  write({ key, version, value, expiresAt }: Entry): Promise<void> {
    const stored = { key, revision: version, ...(expiresAt !== undefined && { expires_at: expiresAt }), value };
    return this.#stateFile(this.nameOf(key)).replace(stored);
  }

  /** Expects that the caller holds the lock of the kind. */
  async remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    try {
      for (const name of names) await rm(join(this.path, name), { force: true });
    } catch (error) {
      throw unwritableError(this.path, error);
    }
    await syncFolder(this.path);
  }

  /** Removes the files of interrupted writes. Expects that the caller holds the lock of the kind. */
  async removeTempFiles(): Promise<void> {
    await this.remove((await this.#readNames()).filter((name) => TEMP_NAME.test(name)));
  }

  /** Returns the file names of the entries. */
  async names(): Promise<string[]> {
    return (await this.#readNames()).filter((name) => ENTRY_NAME.test(name));
  }

  /**
   * Returns the entries that can be read, by file name. Calls `onUnreadable` for each of the others. Without `names`,
   * reads all.
   */
  async readAll(onUnreadable: (error: HostError) => void, names?: readonly string[]): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    for (const name of names ?? (await this.names())) {
      try {
        const entry = await this.read(name);
        if (entry) entries.set(name, entry);
      } catch (error) {
        if (!isHostError(error)) throw error;
        onUnreadable(error);
      }
    }
    return entries;
  }

  async create(): Promise<void> {
    try {
      await makeFolder(this.path);
    } catch (error) {
      throw unwritableError(this.path, error);
    }
  }

  async #readNames(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      const code = ioErrorCode(error);
      if (code === "ENOENT") return [];
      const reason = `it can't be read (${code})`;
      throw new HostError("STORE_UNREADABLE", { file: this.path, reason }, { cause: error });
    }
  }

  #stateFile(name: string): StateFile<StoredEntry> {
    return new StateFile(join(this.path, name), SCHEMA);
  }
}
