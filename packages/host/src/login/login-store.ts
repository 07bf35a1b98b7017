/**
 * Keeps logins, each by the server's URL and the account, for all processes of this
 * user. What is given out is what is stored at that moment. A login belongs to its
 * key alone: the label it has in the file is for people, and decides nothing.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { HostFact } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { withLock } from "../store/file-lock.ts";
import type { LockOptions } from "../store/file-lock.ts";
import { unwritable } from "../store/unwritable.ts";
import type { Keyring } from "./keyring.ts";
import { LoginFile } from "./login-file.ts";
import { LoginsOnDisk } from "./logins-on-disk.ts";
import type { BackendReport, EntriesChange } from "./logins-on-disk.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { findLogin, loginsIn, withLogin, withoutLogin } from "./stored-login.ts";
import type { KeptLogin, LoginEntries, LoginKey } from "./stored-login.ts";
import { makeFolder } from "../store/make-folder.ts";

export interface LoginStoreOptions {
  /** `mcp-auth.json`; without it, logins are kept in memory and end with the process. */
  readonly file: string | undefined;
  readonly keyring: Keyring;
  /** Told if others could read the file. */
  readonly state?: (fact: HostFact) => void;
  readonly clock?: Clock;
}

/** The tokens that must still be the stored ones. */
export interface OnlyTokens {
  readonly refreshToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/** Whoever renews asks one server once. Whoever logs in waits for a person: their own signal says how long. */
const PATIENCE_MS = { renew: 30_000, login: Infinity };

export class LoginStore {
  readonly #file: string | undefined;
  readonly #kept: Pick<LoginsOnDisk, "read" | "change" | "backend" | "keepIn">;
  readonly #turns = new OneAtATime();

  constructor({ file, keyring, state, clock = systemClock }: LoginStoreOptions) {
    this.#file = file;
    if (file === undefined) {
      this.#kept = new LoginsInMemory();
    } else {
      const onExposed = (error: HostError) => state?.({ type: "state.failed", error: error.toJSON() });
      this.#kept = new LoginsOnDisk(new LoginFile(file, onExposed), keyring, () => clock.now());
    }
  }

  /** By label. */
  async list(): Promise<ReadonlyMap<string, KeptLogin>> {
    return loginsIn(await this.#kept.read());
  }

  async find(key: LoginKey): Promise<KeptLogin | undefined> {
    return findLogin(await this.#kept.read(), key);
  }

  /** What that key had before is gone; all other logins stay. */
  async save(key: LoginKey, server: string, login: KeptLogin): Promise<void> {
    await this.#kept.change((entries) => withLogin(entries, key, server, login));
  }

  /** False if there was none, or it has other tokens by now: then somebody has renewed it, and it stays. */
  async forget(key: LoginKey, only: OnlyTokens = {}): Promise<boolean> {
    let forgotten = false;
    await this.#kept.change((entries) => {
      const rest = withoutLogin(entries, key, (login) => hasTokens(login, only));
      forgotten = rest !== entries;
      return rest;
    });
    return forgotten;
  }

  /** One process at a time does this to a login. */
  async exclusively<T>(
    key: LoginKey,
    what: "renew" | "login",
    work: () => Promise<T>,
    options: LockOptions = {},
  ): Promise<T> {
    const name = `${digestOf(key)}.${what}`;
    if (this.#file === undefined) return this.#turns.run(name, work, options.signal);
    try {
      await makeFolder(dirname(this.#file));
    } catch (error) {
      throw unwritable(this.#file, error);
    }
    const { patienceMs = PATIENCE_MS[what] } = options;
    return withLock(`${this.#file}.${name}`, work, { ...options, patienceMs });
  }

  /** How the logins are kept, or how the first one will be. Rejects if the file can't be made out. */
  backend(): Promise<BackendReport> {
    return this.#kept.backend();
  }

  /**
   * Keeps them another way. Logins whose key can't be had stay behind in a copy of the file, and the new one starts
   * afresh: where, is what comes back.
   */
  keepIn(backend: "keyring" | "file"): Promise<string | undefined> {
    return this.#kept.keepIn(backend);
  }
}

class LoginsInMemory {
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

  async keepIn(): Promise<undefined> {
    throw new HostError("STORE_UNWRITABLE", { file: "mcp-auth.json", reason: "this host keeps nothing" });
  }
}

function hasTokens(login: KeptLogin, { refreshToken, accessToken }: OnlyTokens): boolean {
  return (
    (refreshToken === undefined || login.refresh_token === refreshToken) &&
    (accessToken === undefined || login.access_token === accessToken)
  );
}

function digestOf({ resource, account }: LoginKey): string {
  const text = JSON.stringify([resource, account ?? null]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
