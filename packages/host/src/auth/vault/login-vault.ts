/**
 * The logins in their file, read and changed the way that file is kept. A new file
 * is sealed with a key in the keyring if there is one that works; from then on the
 * file says how it is kept, and only `setBackend` changes that. While the keyring can't
 * be asked, a sealed file is neither read nor written, and no other one instead.
 */
import { HostError, isHostError } from "@plugboard/contracts";
import type { LoginBackend } from "@plugboard/contracts";
import { probeKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { isEncrypted, LOGIN_FILE_VERSION } from "./login-file.ts";
import type { LoginFileContent, LoginFile, EncryptedLogins } from "./login-file.ts";
import { encryptLogins, decryptLogins } from "./encrypt-logins.ts";
import type { EncryptionKey } from "./encrypt-logins.ts";
import { EncryptionKeys, unavailableReason } from "./encryption-keys.ts";
import type { LoginEntries } from "./login-record.ts";

/** The same object comes back if there is nothing to change. It may be called more than once. */
export type EntriesChange = (entries: LoginEntries) => LoginEntries;

export interface BackendReport {
  readonly backend: LoginBackend;
  readonly file?: string;
  /** Why it is not the keyring, or why it can't be read now. */
  readonly note?: string;
}

const EMPTY: LoginEntries = {};

export class LoginVault {
  readonly #file: LoginFile;
  readonly #keyring: Keyring;
  readonly #keys: EncryptionKeys;
  readonly #now: () => number;
  /** Why the keyring can't be used for a new file; nothing if it can. */
  #keyringProblem: Promise<string | undefined> | undefined;

  constructor(file: LoginFile, keyring: Keyring, now: () => number) {
    this.#file = file;
    this.#keyring = keyring;
    this.#keys = new EncryptionKeys(keyring);
    this.#now = now;
  }

  async read(): Promise<LoginEntries> {
    const content = await this.#file.read();
    return content ? this.#entriesOf(content, await this.#keyFor(content)) : EMPTY;
  }

  async change(change: EntriesChange): Promise<void> {
    let done = false;
    while (!done) {
      const content = await this.#file.read();
      if (content) done = await this.#changeFile(content, await this.#keyFor(content), change);
      else done = change(EMPTY) === EMPTY || (await this.#createFile(change(EMPTY)));
    }
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
    if (!content) this.#keyringProblem ??= this.#probeKeyring();
    const note = await this.#keyringProblem;
    if (note !== undefined) return { backend: "file", file, note };
    return { backend: content ? "file" : "keyring", file };
  }

  /** Where those were left that could not be read, if any. */
  async setBackend(backend: "keyring" | "file"): Promise<string | undefined> {
    let backup: string | undefined;
    const onBackedUp = (copy: string) => (backup = copy);
    let done = false;
    while (!done) {
      const content = await this.#file.read();
      if (content && isEncrypted(content)) done = backend === "keyring" || (await this.#decrypt(content, onBackedUp));
      else if (backend === "keyring") done = await this.#encrypt(content);
      else done = content !== undefined || (await this.#file.rewriteIfSameKind(content, () => ({ servers: EMPTY })));
    }
    return backup;
  }

  #changeFile(content: LoginFileContent, key: EncryptionKey | undefined, change: EntriesChange): Promise<boolean> {
    return this.#file.rewriteIfSameKind(content, (now) => {
      const entries = this.#entriesOf(now!, key);
      const next = change(entries);
      return next === entries ? now : toFileContent(next, key);
    });
  }

  async #createFile(entries: LoginEntries): Promise<boolean> {
    // What was locked before may be open now.
    if ((await this.#keyringProblem) !== undefined) this.#keyringProblem = undefined;
    this.#keyringProblem ??= this.#probeKeyring();
    if ((await this.#keyringProblem) !== undefined)
      return this.#file.rewriteIfSameKind(undefined, () => ({ servers: entries }));
    return this.#withNewKey((key) => this.#file.rewriteIfSameKind(undefined, () => toFileContent(entries, key)));
  }

  #encrypt(content: LoginFileContent | undefined): Promise<boolean> {
    return this.#withNewKey((key) =>
      this.#file.rewriteIfSameKind(content, (now) => toFileContent(now ? this.#entriesOf(now, undefined) : EMPTY, key)),
    );
  }

  async #decrypt(content: EncryptedLogins, onBackedUp: (copy: string) => void): Promise<boolean> {
    try {
      const key = await this.#keyFor(content);
      const done = await this.#file.rewriteIfSameKind(content, (now) => ({ servers: this.#entriesOf(now!, key) }));
      // A key that stays behind opens nothing.
      if (done) await this.#keys.delete(content.key_id).catch(() => {});
      return done;
    } catch (error) {
      if (!isHostError(error) || !["KEYRING_UNAVAILABLE", "STORE_UNREADABLE"].includes(error.code)) throw error;
      return this.#file.rewriteIfSameKind(content, async () => {
        onBackedUp(await this.#file.backUp(this.#now()));
        return { servers: EMPTY };
      });
    }
  }

  /** A key that no file was sealed with does not stay in the keyring. */
  async #withNewKey(write: (key: EncryptionKey) => Promise<boolean>): Promise<boolean> {
    const key = await this.#keys.create();
    try {
      return await write(key);
    } finally {
      // Who fails may have written all the same.
      const isUsed = await this.#file.read().then(
        (now) => now && isEncrypted(now) && now.key_id === key.id,
        () => true,
      );
      if (!isUsed) await this.#keys.delete(key.id).catch(() => {});
    }
  }

  async #keyFor(content: LoginFileContent): Promise<EncryptionKey | undefined> {
    return isEncrypted(content) ? this.#keys.fetch(content.key_id) : undefined;
  }

  #entriesOf(content: LoginFileContent, key: EncryptionKey | undefined): LoginEntries {
    if (!isEncrypted(content)) return content.servers;
    const entries = key && decryptLogins(content.sealed, key, LOGIN_FILE_VERSION);
    if (entries) return entries;
    const reason = "it is damaged: its key does not open it; restore it, or move it away to start afresh";
    throw new HostError("STORE_UNREADABLE", { file: this.#file.path, reason });
  }

  #probeKeyring(): Promise<string | undefined> {
    return probeKeyring(this.#keyring).then(() => undefined, unavailableReason);
  }
}

function toFileContent(servers: LoginEntries, key: EncryptionKey | undefined): LoginFileContent {
  if (!key) return { servers };
  return { backend: "keyring", key_id: key.id, sealed: encryptLogins(servers, key, LOGIN_FILE_VERSION) };
}

function unreadableReason(error: unknown): string {
  if (!isHostError(error)) throw error;
  if (error.code !== "KEYRING_UNAVAILABLE" && error.code !== "STORE_UNREADABLE") throw error;
  return error.details.reason;
}
