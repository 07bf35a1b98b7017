/**
 * Reads and writes a file of logins (`mcp-auth.json`) or of secrets (`secrets.json`). It contains plain entries, or
 * encrypted entries and the id of their key. Only the user may read the file. If another process has encrypted or
 * decrypted it in the meantime, the file is not overwritten.
 */
import { constants } from "node:fs";
import { lstat, open, readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { StateFile, ioErrorCode, unwritableError, writeAtomically } from "@plugboard/store";
import { isVaultEntries } from "./encrypt-entries.ts";
import type { VaultEntries } from "./encrypt-entries.ts";

interface PlainEntries {
  readonly entries: VaultEntries;
}

export interface EncryptedEntries {
  readonly backend: "keyring";
  readonly key_id: string;
  /** The encrypted entries as base64. */
  readonly sealed: string;
}

export type VaultFileContent = PlainEntries | EncryptedEntries;

/** The kind of entries in a file. Also their name in messages. */
export type VaultKind = "logins" | "secrets";

/** The key of the plain entries in each kind of file. */
const ENTRIES_KEYS = { logins: "servers", secrets: "secrets" } as const;

/** The content as it is in the file. Plain entries are under `servers` or `secrets`, see `ENTRIES_KEYS`. */
type StoredContent = EncryptedEntries | { readonly [key: string]: VaultEntries };

export const VAULT_FILE_VERSION = 1;

/** The content of a file that does not exist. Compared by identity. */
const ABSENT: StoredContent = {};

export class VaultFile {
  readonly path: string;
  readonly kind: VaultKind;
  readonly #file: StateFile<StoredContent & { readonly version?: never }>;
  readonly #onExposed: (error: HostError) => void;

  /** `onExposed` is called when other users of the machine could read the file. */
  constructor(path: string, kind: VaultKind, onExposed: (error: HostError) => void) {
    this.path = path;
    this.kind = kind;
    this.#onExposed = onExposed;
    this.#file = new StateFile(path, { initial: ABSENT, parse: (data) => parseStored(data, ENTRIES_KEYS[kind]) });
  }

  /** Returns undefined if the file does not exist. */
  async read(): Promise<VaultFileContent | undefined> {
    const mode = await restrictPermissions(this.path);
    if (mode !== undefined) this.#onExposed(new HostError("STORE_EXPOSED", { file: this.path, mode }));
    return this.#toContent(await this.#file.read());
  }

  /**
   * Calls `change` with the current content, writes the result and returns true. Returns false without writing if
   * another process has created, encrypted or decrypted the file, or changed its key, since `expected` was read.
   */
  async rewriteIfSameEncryption(
    expected: VaultFileContent | undefined,
    change: (
      latest: VaultFileContent | undefined,
    ) => VaultFileContent | undefined | Promise<VaultFileContent | undefined>,
  ): Promise<boolean> {
    let isSameEncryption = false;
    await this.#file.update(async (stored) => {
      const now = this.#toContent(stored);
      isSameEncryption = encryptionOf(now) === encryptionOf(expected);
      if (!isSameEncryption) return stored;
      const next = await change(now);
      return next === undefined || next === now ? stored : this.#toStored(next);
    });
    return isSameEncryption;
  }

  /** Copies the file and returns the path of the copy. A user who finds the key again can restore the copy. */
  async backUp(now: number): Promise<string> {
    const name = `${this.path}.${new Date(now).toISOString().replaceAll(":", "-")}`;
    let copy = name;
    for (let number = 2; await exists(copy); number++) copy = `${name}-${number}`;
    let content: Buffer;
    try {
      content = await readFile(this.path);
    } catch (error) {
      throw unwritableError(copy, error);
    }
    await writeAtomically(copy, content);
    return copy;
  }

  #toContent(stored: StoredContent): VaultFileContent | undefined {
    if (stored === ABSENT) return undefined;
    return isEncryptedContent(stored) ? stored : { entries: stored[ENTRIES_KEYS[this.kind]]! };
  }

  #toStored(content: VaultFileContent): StoredContent {
    return isEncrypted(content) ? content : { [ENTRIES_KEYS[this.kind]]: content.entries };
  }
}

export function isEncrypted(content: VaultFileContent): content is EncryptedEntries {
  return "sealed" in content;
}

function isEncryptedContent(stored: StoredContent): stored is EncryptedEntries {
  return typeof stored["sealed"] === "string";
}

function parseStored(data: JsonObject, entriesKey: string): StoredContent | undefined {
  const { backend, key_id, sealed, [entriesKey]: entries } = data;
  if (backend === undefined) return isVaultEntries(entries) ? { [entriesKey]: entries } : undefined;
  if (backend !== "keyring" || typeof key_id !== "string" || typeof sealed !== "string") return undefined;
  return { backend, key_id, sealed };
}

/** Returns equal texts for contents that the same key decrypts, and for contents that are both plain or both absent. */
function encryptionOf(content: VaultFileContent | undefined): string {
  if (!content) return "none";
  return isEncrypted(content) ? `key ${content.key_id}` : "plain";
}

/** Makes the file readable only by its owner. Returns the old mode if it had to be changed. */
async function restrictPermissions(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // If the file can't be opened, reading it reports the error.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    const mode = stat.mode & 0o777;
    if (!stat.isFile() || (mode & 0o077) === 0) return undefined;
    await file.chmod(0o600);
    return `0${mode.toString(8).padStart(3, "0")}`;
  } catch (error) {
    const reason = `other users can read it, and its permissions can't be changed (${ioErrorCode(error)})`;
    throw new HostError("STORE_UNREADABLE", { file: path, reason }, { cause: error });
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
