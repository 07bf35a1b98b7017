/**
 * Remembers which files of other clients Plugboard has changed, and their content before the change. Both are in the
 * state folder, because a file of a client may contain secrets.
 */
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ClientName, JsonObject } from "@plugboard/contracts";
import { canonicalDigest, ioErrorCode, makeFolder, StateFile, writeAtomically } from "@plugboard/store";

export interface ConnectionRecord {
  readonly client: ClientName;
  /** The real path of the client's file. */
  readonly file: string;
  /** The digest of the file as Plugboard has written it. */
  readonly written: string;
  /** The copy of the file before the change. Undefined if the file did not exist. */
  readonly backup?: string;
  /** True if Plugboard has created the folder of the file. */
  readonly createdFolder?: true;
  /** The number of parent keys that Plugboard has added together with the entry. `disconnect` removes them. */
  readonly addedParents: number;
}

export class ConnectionRecords {
  readonly #folder: string;
  readonly #state: StateFile<{ readonly entries: readonly ConnectionRecord[] }>;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "connect");
    this.#state = new StateFile(join(this.#folder, "connections.json"), {
      initial: { entries: [] },
      parse: ({ entries }) => (areRecords(entries) ? { entries } : undefined),
    });
  }

  async list(): Promise<readonly ConnectionRecord[]> {
    return (await this.#state.read()).entries;
  }

  async find(file: string): Promise<ConnectionRecord | undefined> {
    return (await this.list()).find((record) => record.file === file);
  }

  /**
   * Runs `work` while no other process changes files of clients. Replaces the old record with the one that `work`
   * returns, or removes it if `work` returns none.
   */
  async update(file: string, work: (old: ConnectionRecord | undefined) => Promise<ConnectionRecord | undefined>) {
    let obsolete: string | undefined;
    await this.#state.update(async ({ entries }) => {
      const old = entries.find((record) => record.file === file);
      const next = await work(old);
      if (old?.backup !== next?.backup) obsolete = old?.backup;
      return { entries: [...entries.filter((record) => record !== old), ...(next ? [next] : [])] };
    });
    if (obsolete !== undefined) await rm(obsolete, { force: true });
  }

  /** Writes a copy that only its owner can read. Returns its path. */
  async backUp(file: string, text: string): Promise<string> {
    const backup = join(this.#folder, `${canonicalDigest([file, text]).slice(0, 16)}-${basename(file)}`);
    await makeFolder(this.#folder);
    await writeAtomically(backup, text);
    return backup;
  }

  /** Returns the text of the file before the change. Returns undefined if the backup no longer exists. */
  async readBackup({ backup }: ConnectionRecord): Promise<string | undefined> {
    if (backup === undefined) return undefined;
    try {
      return await readFile(backup, "utf8");
    } catch (error) {
      if (ioErrorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }
}

function areRecords(value: unknown): value is ConnectionRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

function isRecord(value: unknown): boolean {
  const { client, file, written, addedParents } = value as JsonObject;
  return [client, file, written].every((text) => typeof text === "string") && typeof addedParents === "number";
}
