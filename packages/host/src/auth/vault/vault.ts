/**
 * Reads and changes the entries of a `VaultFile`, encrypted or plain. A new file is encrypted if the keyring works.
 * Only `setBackend` encrypts or decrypts an existing file. While the keyring is unavailable, entries in an encrypted
 * file can't be read or changed.
 */
import { HostError, isHostError } from "@plugboard/contracts";
import type { LoginBackend } from "@plugboard/contracts";
import { probeKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { isEncrypted, VAULT_FILE_VERSION } from "./vault-file.ts";
import type { EncryptedEntries, VaultFile, VaultFileContent } from "./vault-file.ts";
import { encryptEntries, decryptEntries } from "./encrypt-entries.ts";
import type { EncryptionKey, VaultEntries } from "./encrypt-entries.ts";
import { EncryptionKeys, unavailableReason } from "./encryption-keys.ts";

/** Returns the new entries, or the same object if there is nothing to change. May be called more than once. */
export type EntriesChange = (entries: VaultEntries) => VaultEntries;

export interface BackendReport {
  readonly backend: LoginBackend;
  readonly file?: string;
  /** Why the backend is not the keyring, or why the entries can't be read now. */
  readonly note?: string;
}

/** The entries of a file that does not exist. `change` recognises this object by identity. */
const EMPTY: VaultEntries = {};

export class Vault {
  readonly #file: VaultFile;
  readonly #keyring: Keyring;
  readonly #keys: EncryptionKeys;
  readonly #now: () => number;
  /** Resolves with the reason why the keyring can't be used for a new file, or with undefined if it can. */
  #keyringProblem: Promise<string | undefined> | undefined;

  constructor(file: VaultFile, keyring: Keyring, now: () => number) {
    this.#file = file;
    this.#keyring = keyring;
    this.#keys = new EncryptionKeys(keyring, file.kind);
    this.#now = now;
  }

  async read(): Promise<VaultEntries> {
    const content = await this.#file.read();
    return content ? this.#entriesOf(content, await this.#keyFor(content)) : EMPTY;
  }

  /** Returns whether the file exists. Does not use the keyring. */
  async exists(): Promise<boolean> {
    return (await this.#file.read()) !== undefined;
  }

  async change(change: EntriesChange): Promise<void> {
    // Starts over if another process created, encrypted or decrypted the file in the meantime.
    while (!(await this.#tryChange(change)));
  }

  async #tryChange(change: EntriesChange): Promise<boolean> {
    const content = await this.#file.read();
    if (content) return this.#changeFile(content, await this.#keyFor(content), change);
    const entries = change(EMPTY);
    return entries === EMPTY || this.#createFile(entries);
  }

  async backend(): Promise<BackendReport> {
    const file = this.#file.path;
    const content = await this.#file.read();
    if (content && isEncrypted(content)) {
      const note = await this.#keyFor(content)
        .then((key) => this.#entriesOf(content, key))
        .then(() => undefined, unreadableReason);
      return { backend: "keyring", file, ...(note !== undefined && { note }) };
    }
    // The probe may ask the user to unlock the keyring, so it runs only if a new file would need the keyring.
    if (!content) this.#keyringProblem ??= this.#probeKeyring();
    const note = await this.#keyringProblem;
    if (note !== undefined) return { backend: "file", file, note };
    return { backend: content ? "file" : "keyring", file };
  }

  /**
   * Encrypts the file (`keyring`) or decrypts it (`file`). Returns the path of a backup if it could not be decrypted.
   */
  async setBackend(backend: "keyring" | "file"): Promise<string | undefined> {
    let backup: string | undefined;
    const onBackedUp = (copy: string) => (backup = copy);
    // Starts over if another process created, encrypted or decrypted the file in the meantime.
    while (!(await this.#trySetBackend(backend, onBackedUp)));
    return backup;
  }

  async #trySetBackend(backend: "keyring" | "file", onBackedUp: (copy: string) => void): Promise<boolean> {
    const content = await this.#file.read();
    const isAlreadyEncrypted = content !== undefined && isEncrypted(content);
    if (backend === "keyring") return isAlreadyEncrypted || this.#encrypt(content);
    if (isAlreadyEncrypted) return this.#decrypt(content, onBackedUp);
    // An empty file records the choice, because without a file the keyring would be used again.
    return content !== undefined || this.#file.rewriteIfSameEncryption(undefined, () => ({ entries: EMPTY }));
  }

  /** Like all methods that write, returns false if the file is no longer of the same kind as `content`. */
  #changeFile(content: VaultFileContent, key: EncryptionKey | undefined, change: EntriesChange): Promise<boolean> {
    return this.#file.rewriteIfSameEncryption(content, (latest) => {
      const entries = this.#entriesOf(latest!, key);
      const next = change(entries);
      return next === entries ? latest : toFileContent(next, key);
    });
  }

  async #createFile(entries: VaultEntries): Promise<boolean> {
    // Probe again after a failure, because the keyring may be unlocked now.
    if ((await this.#keyringProblem) !== undefined) this.#keyringProblem = undefined;
    this.#keyringProblem ??= this.#probeKeyring();
    if ((await this.#keyringProblem) !== undefined) {
      return this.#file.rewriteIfSameEncryption(undefined, () => ({ entries }));
    }
    return this.#withNewKey((key) => this.#file.rewriteIfSameEncryption(undefined, () => toFileContent(entries, key)));
  }

  #encrypt(content: VaultFileContent | undefined): Promise<boolean> {
    return this.#withNewKey((key) =>
      this.#file.rewriteIfSameEncryption(content, (latest) => {
        const entries = latest ? this.#entriesOf(latest, undefined) : EMPTY;
        return toFileContent(entries, key);
      }),
    );
  }

  /** Replaces the file with plain entries. If it can't be decrypted, backs it up and starts without entries. */
  async #decrypt(content: EncryptedEntries, onBackedUp: (copy: string) => void): Promise<boolean> {
    try {
      const key = await this.#keyFor(content);
      const written = await this.#file.rewriteIfSameEncryption(content, (latest) => ({
        entries: this.#entriesOf(latest!, key),
      }));
      // A leftover key decrypts nothing, so a failure to delete it is ignored.
      if (written) await this.#keys.delete(content.key_id).catch(() => {});
      return written;
    } catch (error) {
      if (!isHostError(error) || !["KEYRING_UNAVAILABLE", "STORE_UNREADABLE"].includes(error.code)) throw error;
      return this.#file.rewriteIfSameEncryption(content, async () => {
        onBackedUp(await this.#file.backUp(this.#now()));
        return { entries: EMPTY };
      });
    }
  }

  /** Creates a key for `write`, and deletes the key unless the file is encrypted with it afterwards. */
  async #withNewKey(write: (key: EncryptionKey) => Promise<boolean>): Promise<boolean> {
    const key = await this.#keys.create();
    try {
      return await write(key);
    } finally {
      // `write` may have failed after it had written the file.
      const isUsed = await this.#file.read().then(
        (content) => content && isEncrypted(content) && content.key_id === key.id,
        // A file that can't be read now may need the key.
        () => true,
      );
      if (!isUsed) await this.#keys.delete(key.id).catch(() => {});
    }
  }

  /** Returns undefined for a plain file. */
  async #keyFor(content: VaultFileContent): Promise<EncryptionKey | undefined> {
    return isEncrypted(content) ? this.#keys.fetch(content.key_id) : undefined;
  }

  #entriesOf(content: VaultFileContent, key: EncryptionKey | undefined): VaultEntries {
    if (!isEncrypted(content)) return content.entries;
    const entries = key && decryptEntries(content.sealed, key, VAULT_FILE_VERSION);
    if (entries) return entries;
    const startOver = this.#file.kind === "logins" ? "log in again" : "set the secrets again";
    const reason = `it is damaged and can't be decrypted with its key; restore it, or move it away and ${startOver}`;
    throw new HostError("STORE_UNREADABLE", { file: this.#file.path, reason });
  }

  #probeKeyring(): Promise<string | undefined> {
    return probeKeyring(this.#keyring).then(() => undefined, unavailableReason);
  }
}

function toFileContent(entries: VaultEntries, key: EncryptionKey | undefined): VaultFileContent {
  if (!key) return { entries };
  return { backend: "keyring", key_id: key.id, sealed: encryptEntries(entries, key, VAULT_FILE_VERSION) };
}

/** Returns the reason why the entries can't be read. Throws any other error. */
function unreadableReason(error: unknown): string {
  if (!isHostError(error)) throw error;
  if (error.code !== "KEYRING_UNAVAILABLE" && error.code !== "STORE_UNREADABLE") throw error;
  return error.details.reason;
}
