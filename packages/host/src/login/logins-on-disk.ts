/**
 * The logins in their file, read and changed the way that file is kept. A new file
 * is sealed with a key in the keyring if there is one that works; from then on the
 * file says how it is kept, and only `keepIn` changes that. While the keyring can't
 * be asked, a sealed file is neither read nor written, and no other one instead.
 */
import { HostError, isHostError } from "@plugboard/contracts";
import type { LoginBackend } from "@plugboard/contracts";
import { probeKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { isSealed, LOGIN_FILE_VERSION } from "./login-file.ts";
import type { FileContent, LoginFile, SealedLogins } from "./login-file.ts";
import { seal, unseal } from "./sealed-logins.ts";
import type { SealingKey } from "./sealed-logins.ts";
import { SealingKeys, whyUnavailable } from "./sealing-keys.ts";
import type { LoginEntries } from "./stored-login.ts";

/** The same object comes back if there is nothing to change. It may be called more than once. */
export type EntriesChange = (entries: LoginEntries) => LoginEntries;

export interface BackendReport {
  readonly backend: LoginBackend;
  readonly file?: string;
  /** Why it is not the keyring, or why it can't be read now. */
  readonly note?: string;
}

const EMPTY: LoginEntries = {};

export class LoginsOnDisk {
  readonly #file: LoginFile;
  readonly #keyring: Keyring;
  readonly #keys: SealingKeys;
  readonly #now: () => number;
  /** Why the keyring can't be used for a new file; nothing if it can. */
  #probed: Promise<string | undefined> | undefined;

  constructor(file: LoginFile, keyring: Keyring, now: () => number) {
    this.#file = file;
    this.#keyring = keyring;
    this.#keys = new SealingKeys(keyring);
    this.#now = now;
  }

  async read(): Promise<LoginEntries> {
    const seen = await this.#file.read();
    return seen ? this.#open(seen, await this.#keyOf(seen)) : EMPTY;
  }

  async change(change: EntriesChange): Promise<void> {
    let done = false;
    while (!done) {
      const seen = await this.#file.read();
      if (seen) done = await this.#changeFile(seen, await this.#keyOf(seen), change);
      else done = change(EMPTY) === EMPTY || (await this.#makeFile(change(EMPTY)));
    }
  }

  async backend(): Promise<BackendReport> {
    const file = this.#file.path;
    const seen = await this.#file.read();
    if (seen && isSealed(seen)) {
      const note = await this.#keyOf(seen)
        .then((key) => this.#open(seen, key))
        .then(() => undefined, whyUnreadable);
      return { backend: "keyring", file, ...(note !== undefined && { note }) };
    }
    if (!seen) this.#probed ??= this.#probe();
    const note = await this.#probed;
    if (note !== undefined) return { backend: "file", file, note };
    return { backend: seen ? "file" : "keyring", file };
  }

  /** Where those were left that could not be read, if any. */
  async keepIn(backend: "keyring" | "file"): Promise<string | undefined> {
    let leftBehind: string | undefined;
    const onLeft = (copy: string) => (leftBehind = copy);
    let done = false;
    while (!done) {
      const seen = await this.#file.read();
      if (seen && isSealed(seen)) done = backend === "keyring" || (await this.#unseal(seen, onLeft));
      else if (backend === "keyring") done = await this.#seal(seen);
      else done = seen !== undefined || (await this.#file.rewrite(seen, () => ({ servers: EMPTY })));
    }
    return leftBehind;
  }

  #changeFile(seen: FileContent, key: SealingKey | undefined, change: EntriesChange): Promise<boolean> {
    return this.#file.rewrite(seen, (now) => {
      const entries = this.#open(now!, key);
      const next = change(entries);
      return next === entries ? now : close(next, key);
    });
  }

  async #makeFile(entries: LoginEntries): Promise<boolean> {
    // What was locked before may be open now.
    if ((await this.#probed) !== undefined) this.#probed = undefined;
    this.#probed ??= this.#probe();
    if ((await this.#probed) !== undefined) return this.#file.rewrite(undefined, () => ({ servers: entries }));
    return this.#withNewKey((key) => this.#file.rewrite(undefined, () => close(entries, key)));
  }

  #seal(seen: FileContent | undefined): Promise<boolean> {
    return this.#withNewKey((key) =>
      this.#file.rewrite(seen, (now) => close(now ? this.#open(now, undefined) : EMPTY, key)),
    );
  }

  async #unseal(seen: SealedLogins, onLeft: (copy: string) => void): Promise<boolean> {
    try {
      const key = await this.#keyOf(seen);
      const done = await this.#file.rewrite(seen, (now) => ({ servers: this.#open(now!, key) }));
      // A key that stays behind opens nothing.
      if (done) await this.#keys.delete(seen.key_id).catch(() => {});
      return done;
    } catch (error) {
      if (!isHostError(error) || !["KEYRING_UNAVAILABLE", "STORE_UNREADABLE"].includes(error.code)) throw error;
      return this.#file.rewrite(seen, async () => {
        onLeft(await this.#file.copyAside(this.#now()));
        return { servers: EMPTY };
      });
    }
  }

  /** A key that no file was sealed with does not stay in the keyring. */
  async #withNewKey(write: (key: SealingKey) => Promise<boolean>): Promise<boolean> {
    const key = await this.#keys.make();
    try {
      return await write(key);
    } finally {
      // Who fails may have written all the same.
      const isUsed = await this.#file.read().then(
        (now) => now && isSealed(now) && now.key_id === key.id,
        () => true,
      );
      if (!isUsed) await this.#keys.delete(key.id).catch(() => {});
    }
  }

  async #keyOf(content: FileContent): Promise<SealingKey | undefined> {
    return isSealed(content) ? this.#keys.fetch(content.key_id) : undefined;
  }

  #open(content: FileContent, key: SealingKey | undefined): LoginEntries {
    if (!isSealed(content)) return content.servers;
    const entries = key && unseal(content.sealed, key, LOGIN_FILE_VERSION);
    if (entries) return entries;
    const what = "it is damaged: its key does not open it; restore it, or move it away to start afresh";
    throw new HostError("STORE_UNREADABLE", { file: this.#file.path, what });
  }

  #probe(): Promise<string | undefined> {
    return probeKeyring(this.#keyring).then(() => undefined, whyUnavailable);
  }
}

function close(servers: LoginEntries, key: SealingKey | undefined): FileContent {
  if (!key) return { servers };
  return { backend: "keyring", key_id: key.id, sealed: seal(servers, key, LOGIN_FILE_VERSION) };
}

function whyUnreadable(error: unknown): string {
  if (!isHostError(error)) throw error;
  if (error.code !== "KEYRING_UNAVAILABLE" && error.code !== "STORE_UNREADABLE") throw error;
  return error.details.what;
}
