/**
 * Keeps logins, each by the server's URL and the account, for all processes of this
 * user. What is given out is what is stored at that moment. A login belongs to its
 * key alone: the label it has in the file is for people, and decides nothing.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { HostEventData } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { withLock } from "../../store/file-lock.ts";
import type { LockOptions } from "../../store/file-lock.ts";
import { unwritableError } from "../../store/io-error.ts";
import type { Keyring } from "./keyring.ts";
import { LoginFile } from "./login-file.ts";
import { LoginVault } from "./login-vault.ts";
import type { BackendReport, EntriesChange } from "./login-vault.ts";
import { KeyedMutex } from "../../lib/keyed-mutex.ts";
import { findLogin, validLogins, withLogin, withoutLogin } from "./login-record.ts";
import type { LoginRecord, LoginEntries, LoginKey } from "./login-record.ts";
import { makeFolder } from "../../store/make-folder.ts";

export interface LoginStoreOptions {
  /** `mcp-auth.json`; without it, logins are kept in memory and end with the process. */
  readonly file: string | undefined;
  readonly keyring: Keyring;
  /** Told if others could read the file. */
  readonly emit?: (event: HostEventData) => void;
  readonly clock?: Clock;
}

/** The tokens that must still be the stored ones. */
export interface ExpectedTokens {
  readonly refreshToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/** Whoever renews asks one server once. Whoever logs in waits for a person: their own signal says how long. */
const LOCK_TIMEOUT_MS = { renew: 30_000, login: Infinity };

export class LoginStore {
  readonly #file: string | undefined;
  readonly #vault: Pick<LoginVault, "read" | "change" | "backend" | "setBackend">;
  readonly #mutex = new KeyedMutex();

  constructor({ file, keyring, emit, clock = systemClock }: LoginStoreOptions) {
    this.#file = file;
    if (file === undefined) {
      this.#vault = new MemoryVault();
    } else {
      const onExposed = (error: HostError) => emit?.({ type: "state.failed", error: error.toJSON() });
      this.#vault = new LoginVault(new LoginFile(file, onExposed), keyring, () => clock.now());
    }
  }

  /** By label. */
  async list(): Promise<ReadonlyMap<string, LoginRecord>> {
    return validLogins(await this.#vault.read());
  }

  async find(key: LoginKey): Promise<LoginRecord | undefined> {
    return findLogin(await this.#vault.read(), key);
  }

  /** What that key had before is gone; all other logins stay. */
  async save(key: LoginKey, server: string, login: LoginRecord): Promise<void> {
    await this.#vault.change((entries) => withLogin(entries, key, server, login));
  }

  /** False if there was none, or it has other tokens by now: then somebody has renewed it, and it stays. */
  async remove(key: LoginKey, expected: ExpectedTokens = {}): Promise<boolean> {
    let removed = false;
    await this.#vault.change((entries) => {
      const rest = withoutLogin(entries, key, (login) => hasTokens(login, expected));
      removed = rest !== entries;
      return rest;
    });
    return removed;
  }

  /** One process at a time does this to a login. */
  async withLock<T>(
    key: LoginKey,
    operation: "renew" | "login",
    run: () => Promise<T>,
    options: LockOptions = {},
  ): Promise<T> {
    const name = `${digestOf(key)}.${operation}`;
    if (this.#file === undefined) return this.#mutex.run(name, run, options.signal);
    try {
      await makeFolder(dirname(this.#file));
    } catch (error) {
      throw unwritableError(this.#file, error);
    }
    const { timeoutMs = LOCK_TIMEOUT_MS[operation] } = options;
    return withLock(`${this.#file}.${name}`, run, { ...options, timeoutMs });
  }

  /** How the logins are kept, or how the first one will be. Rejects if the file can't be made out. */
  backend(): Promise<BackendReport> {
    return this.#vault.backend();
  }

  /**
   * Keeps them another way. Logins whose key can't be had stay behind in a copy of the file, and the new one starts
   * afresh: where, is what comes back.
   */
  setBackend(backend: "keyring" | "file"): Promise<string | undefined> {
    return this.#vault.setBackend(backend);
  }
}

class MemoryVault {
  #entries: LoginEntries = {};

  async read(): Promise<LoginEntries> {
    return this.#entries;
  }

  async change(change: EntriesChange): Promise<void> {
    this.#entries = change(this.#entries);
  }

  async backend(): Promise<BackendReport> {
    return { backend: "memory" };
  }

  async setBackend(): Promise<undefined> {
    throw new HostError("STORE_UNWRITABLE", { file: "mcp-auth.json", reason: "this host keeps nothing" });
  }
}

function hasTokens(login: LoginRecord, { refreshToken, accessToken }: ExpectedTokens): boolean {
  return (
    (refreshToken === undefined || login.refresh_token === refreshToken) &&
    (accessToken === undefined || login.access_token === accessToken)
  );
}

function digestOf({ resource, account }: LoginKey): string {
  const text = JSON.stringify([resource, account ?? null]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
