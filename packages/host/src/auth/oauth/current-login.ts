/**
 * The login that this process uses: the stored login, which other processes may change. If a new login can't be
 * stored, the process uses the new login from memory.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData } from "@plugboard/contracts";
import type { LockOptions } from "@plugboard/store";
import type { LoginOperation, LoginStore } from "../vault/login-store.ts";
import type { LoginRecord, LoginKey } from "../vault/login-record.ts";

export interface CurrentLoginOptions {
  /** Identifies the login in the store. */
  readonly key: LoginKey;
  /** The server id, which becomes the label of the stored login. */
  readonly server: string;
  readonly store: LoginStore;
  readonly emit: (event: HostEventData) => void;
  /** Returns false for a stored login that does not fit the definition. */
  readonly isUsable: (login: LoginRecord) => boolean;
  /** Called before `record` changes. */
  readonly onChange: (login: LoginRecord | undefined) => Promise<void> | void;
  /** Masks secrets in an error before it is emitted. */
  readonly redact: (error: HostError) => HostError;
}

export class CurrentLogin {
  readonly #options: CurrentLoginOptions;
  #record: LoginRecord | undefined;
  #lastIssuer: string | undefined;
  #readError: HostError | undefined;
  /** True while the login in memory is newer than the stored one. */
  #unsaved = false;
  /** Counts changes by this process, to ignore a read that began before a change. */
  #version = 0;
  #saving: Promise<void> | undefined;

  constructor(options: CurrentLoginOptions) {
    this.#options = options;
  }

  get record(): LoginRecord | undefined {
    return this.#record;
  }

  /** The issuer of the last login, which may have been discarded since. */
  get lastIssuer(): string | undefined {
    return this.#lastIssuer;
  }

  /** Throws the error of the last read if the store could not be read. */
  throwIfUnreadable(): void {
    if (this.#readError) throw this.#readError;
  }

  get isUnreadable(): boolean {
    return this.#readError !== undefined;
  }

  /** Reads the stored login. Returns true if there is a login and its token has changed. */
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

  /** Stores the login. If that fails, emits `state.failed` and keeps the login in memory. */
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

  /** Discards a login whose refresh token was rejected. A stored login with a newer token stays. */
  async discardRejected({ refresh_token: refreshToken }: LoginRecord): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.remove(key, refreshToken === undefined ? {} : { refreshToken });
    } catch (error) {
      this.#reportFailure(error);
    }
    await this.#clear();
  }

  /** Deletes the login, whatever its tokens are. */
  async remove(): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.remove(key);
    } finally {
      await this.#clear();
      this.#lastIssuer = undefined;
    }
  }

  /**
   * Runs the operation under a lock across processes. If the state folder is not writable, emits `state.failed` and
   * runs the operation without a lock.
   */
  async withLock<T>(operation: LoginOperation, run: () => Promise<T>, options?: LockOptions): Promise<T> {
    const { store, key } = this.#options;
    // An operation that has started is not repeated, whatever its error is.
    let started = false;
    const markAndRun = () => {
      started = true;
      return run();
    };
    try {
      return await store.withLock(key, operation, markAndRun, options);
    } catch (error) {
      if (started || !(error instanceof HostError) || error.code !== "STORE_UNWRITABLE") throw error;
      this.#reportFailure(error);
      return run();
    }
  }

  /** Resolves when the new login is stored or could not be stored. The stored tokens may be invalid until then. */
  async whenSaved(): Promise<void> {
    await Promise.allSettled([this.#saving]);
  }

  async #clear(): Promise<void> {
    this.#unsaved = false;
    this.#version += 1;
    await this.#set(undefined);
  }

  async #set(login: LoginRecord | undefined): Promise<void> {
    const hasSameTokens =
      login?.access_token === this.#record?.access_token && login?.refresh_token === this.#record?.refresh_token;
    if (hasSameTokens) return;
    await this.#options.onChange(login);
    this.#record = login;
    if (login) this.#lastIssuer = login.issuer;
  }

  #reportFailure(error: unknown): void {
    const { emit, redact } = this.#options;
    emit({ type: "state.failed", error: redact(toHostError(error)).toJSON() });
  }
}
