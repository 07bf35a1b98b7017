/**
 * The login that this process has in hand, and what is written down of it for
 * all of them. What is written down counts, unless it could not be: then what is
 * in hand is newer. One process at a time changes it.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData } from "@plugboard/contracts";
import type { LockOptions } from "../../store/file-lock.ts";
import type { LoginStore } from "../vault/login-store.ts";
import type { LoginRecord, LoginKey } from "../vault/login-record.ts";

export interface CurrentLoginOptions {
  /** By which it is kept. */
  readonly key: LoginKey;
  /** Under which name. */
  readonly server: string;
  readonly store: LoginStore;
  readonly emit: (event: HostEventData) => void;
  /** Whether one that is found can be used here. */
  readonly isUsable: (login: LoginRecord) => boolean;
  /** Told before anybody gets to see another one, or none. */
  readonly onChange: (login: LoginRecord | undefined) => Promise<void> | void;
  /** Takes secrets out of what is told. */
  readonly redact: (error: HostError) => HostError;
}

export class CurrentLogin {
  readonly #options: CurrentLoginOptions;
  #record: LoginRecord | undefined;
  #lastIssuer: string | undefined;
  #readError: HostError | undefined;
  #unsaved = false;
  /** How often it was changed from here: what was read before that is old. */
  #version = 0;
  #saving: Promise<void> | undefined;

  constructor(options: CurrentLoginOptions) {
    this.#options = options;
  }

  get record(): LoginRecord | undefined {
    return this.#record;
  }

  /** Of the last one that there was. */
  get lastIssuer(): string | undefined {
    return this.#lastIssuer;
  }

  /** Throws if nobody knows whether there is one. */
  throwIfUnreadable(): void {
    if (this.#readError) throw this.#readError;
  }

  get isUnreadable(): boolean {
    return this.#readError !== undefined;
  }

  /** Another process may have logged in, or out. True if there is another one than before. */
  async read(): Promise<boolean> {
    const { store, key, isUsable } = this.#options;
    const previousToken = this.#record?.access_token;
    const version = this.#version;
    try {
      const found = await store.find(key);
      this.#readError = undefined;
      if (this.#unsaved || version !== this.#version) return false;
      await this.#set(found && isUsable(found) ? found : undefined);
    } catch (error) {
      this.#readError = toHostError(error);
    }
    return this.#record !== undefined && this.#record.access_token !== previousToken;
  }

  /** What can't be written down serves from memory. */
  async save(login: LoginRecord): Promise<void> {
    const { store, key, server } = this.#options;
    this.#unsaved = true;
    this.#version += 1;
    await this.#set(login);
    try {
      await (this.#saving = store.save(key, server, login));
      this.#unsaved = false;
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  /** It was rejected. What is written down goes only if nobody has put something better in its place. */
  async discardRejected({ refresh_token: refreshToken }: LoginRecord): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.remove(key, refreshToken === undefined ? {} : { refreshToken });
    } catch (error) {
      this.#reportFailure(error);
    }
    await this.#clear();
  }

  /** Whatever is written down. */
  async remove(): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.remove(key);
    } finally {
      await this.#clear();
      this.#lastIssuer = undefined;
    }
  }

  /** Where the state can't be written, it can't be locked either: then this process is on its own. */
  async withLock<T>(operation: "renew" | "login", run: () => Promise<T>, options?: LockOptions): Promise<T> {
    const { store, key } = this.#options;
    let started = false;
    const runOnce = () => {
      started = true;
      return run();
    };
    try {
      return await store.withLock(key, operation, runOnce, options);
    } catch (error) {
      if (started || !(error instanceof HostError) || error.code !== "STORE_UNWRITABLE") throw error;
      this.#reportFailure(error);
      return run();
    }
  }

  /** Resolves when what was obtained is written down: what was there before may be good for nothing by now. */
  async whenSaved(): Promise<void> {
    await Promise.allSettled([this.#saving]);
  }

  async #clear(): Promise<void> {
    this.#unsaved = false;
    this.#version += 1;
    await this.#set(undefined);
  }

  async #set(login: LoginRecord | undefined): Promise<void> {
    const same =
      login?.access_token === this.#record?.access_token && login?.refresh_token === this.#record?.refresh_token;
    if (same) return;
    await this.#options.onChange(login);
    this.#record = login;
    if (login) this.#lastIssuer = login.issuer;
  }

  #reportFailure(error: unknown): void {
    const { emit, redact } = this.#options;
    emit({ type: "state.failed", error: redact(toHostError(error)).toJSON() });
  }
}
