/**
 * Stores logins by server URL, account and principal, for all processes of the user. Caches nothing, because another
 * process may change a login. The label of a login in the file is only for display.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { withLock, unwritableError, makeFolder } from "@plugboard/store";
import type { LockOptions } from "@plugboard/store";
import { openVault } from "./open-vault.ts";
import type { OpenedVault, VaultOptions } from "./open-vault.ts";
import type { BackendReport } from "./vault.ts";
import { KeyedMutex } from "../../lib/keyed-mutex.ts";
import { findLogin, validLogins, withLogin, withoutLogin } from "./login-record.ts";
import type { LoginRecord, LoginKey } from "./login-record.ts";

/** A stored login is removed only if it still has these tokens. */
export interface ExpectedTokens {
  readonly refreshToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/** An operation that only one process at a time may perform with the same login. */
export type LoginOperation = "refresh" | "login";

/** How long to wait for the lock. A refresh takes one request. A login takes as long as the user needs. */
const LOCK_TIMEOUT_MS = { refresh: 30_000, login: Infinity };

export class LoginStore {
  readonly #file: string | undefined;
  readonly #vault: OpenedVault;
  readonly #mutex = new KeyedMutex();

  constructor({ file, keyring, emit, clock }: VaultOptions) {
    this.#file = file;
    this.#vault = openVault("logins", { file, keyring, emit, clock });
  }

  /** Returns the valid logins by label. */
  async list(): Promise<ReadonlyMap<string, LoginRecord>> {
    return validLogins(await this.#vault.read());
  }

  async find(key: LoginKey): Promise<LoginRecord | undefined> {
    return findLogin(await this.#vault.read(), key);
  }

  /** Replaces the login of the key. */
  async save(key: LoginKey, server: string, login: LoginRecord): Promise<void> {
    await this.#vault.change((entries) => withLogin(entries, key, server, login));
  }

  /** Removes the login. Returns false if there is none, or if it was refreshed and has other tokens than expected. */
  async remove(key: LoginKey, expected: ExpectedTokens = {}): Promise<boolean> {
    let removed = false;
    await this.#vault.change((entries) => {
      const rest = withoutLogin(entries, key, (login) => hasTokens(login, expected));
      removed = rest !== entries;
      return rest;
    });
    return removed;
  }

  /** Runs the operation while no other process runs the same operation with this login. */
  async withLock<T>(
    key: LoginKey,
    operation: LoginOperation,
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

  /** Returns where logins are stored, or where the first login will be stored. Rejects if the file is not valid. */
  backend(): Promise<BackendReport> {
    return this.#vault.backend();
  }

  /**
   * Moves the logins to another backend. If their key can't be read, they stay encrypted in a copy of the file, and
   * the path of that copy is returned.
   */
  setBackend(backend: "keyring" | "file"): Promise<string | undefined> {
    return this.#vault.setBackend(backend);
  }
}

function hasTokens(login: LoginRecord, { refreshToken, accessToken }: ExpectedTokens): boolean {
  return (
    (refreshToken === undefined || login.refresh_token === refreshToken) &&
    (accessToken === undefined || login.access_token === accessToken)
  );
}

function digestOf({ resource, account, principal }: LoginKey): string {
  const text = JSON.stringify([resource, account ?? null, ...(principal ? [principal.id] : [])]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
