/**
 * The login that this process has in hand, and what is written down of it for
 * all of them. What is written down counts, unless it could not be: then what is
 * in hand is newer. One process at a time changes it.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact } from "@plugboard/contracts";
import type { LockOptions } from "../store/file-lock.ts";
import type { LoginStore } from "./login-store.ts";
import type { KeptLogin, LoginKey } from "./stored-login.ts";

export interface HeldLoginOptions {
  /** By which it is kept. */
  readonly key: LoginKey;
  /** Under which name. */
  readonly server: string;
  readonly store: LoginStore;
  readonly state: (fact: HostFact) => void;
  /** Whether one that is found can be used here. */
  readonly fits: (login: KeptLogin) => boolean;
  /** Told before anybody gets to see another one, or none. */
  readonly onTaken: (login: KeptLogin | undefined) => Promise<void> | void;
  /** Takes secrets out of what is told. */
  readonly conceal: (error: HostError) => HostError;
}

export class HeldLogin {
  readonly #options: HeldLoginOptions;
  #login: KeptLogin | undefined;
  #issuer: string | undefined;
  #unreadable: HostError | undefined;
  #unsaved = false;
  /** How often it was changed from here: what was read before that is old. */
  #changes = 0;
  #keeping: Promise<void> | undefined;

  constructor(options: HeldLoginOptions) {
    this.#options = options;
  }

  get now(): KeptLogin | undefined {
    return this.#login;
  }

  /** Of the last one that there was. */
  get issuer(): string | undefined {
    return this.#issuer;
  }

  /** Throws if nobody knows whether there is one. */
  throwIfUnreadable(): void {
    if (this.#unreadable) throw this.#unreadable;
  }

  get isUnreadable(): boolean {
    return this.#unreadable !== undefined;
  }

  /** Another process may have logged in, or out. True if there is another one than before. */
  async read(): Promise<boolean> {
    const { store, key, fits } = this.#options;
    const before = this.#login?.access_token;
    const changes = this.#changes;
    try {
      const found = await store.find(key);
      this.#unreadable = undefined;
      if (this.#unsaved || changes !== this.#changes) return false;
      await this.#take(found && fits(found) ? found : undefined);
    } catch (error) {
      this.#unreadable = toHostError(error);
    }
    return this.#login !== undefined && this.#login.access_token !== before;
  }

  /** What can't be written down serves from memory. */
  async keep(login: KeptLogin): Promise<void> {
    const { store, key, server } = this.#options;
    this.#unsaved = true;
    this.#changes += 1;
    await this.#take(login);
    try {
      await (this.#keeping = store.save(key, server, login));
      this.#unsaved = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  /** It was rejected. What is written down goes only if nobody has put something better in its place. */
  async giveUp({ refresh_token: refreshToken }: KeptLogin): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.forget(key, refreshToken === undefined ? {} : { refreshToken });
    } catch (error) {
      this.#failed(error);
    }
    await this.#let();
  }

  /** Whatever is written down. */
  async forget(): Promise<void> {
    const { store, key } = this.#options;
    try {
      await store.forget(key);
    } finally {
      await this.#let();
      this.#issuer = undefined;
    }
  }

  /** Where the state can't be written, it can't be locked either: then this process is on its own. */
  async exclusively<T>(what: "renew" | "login", work: () => Promise<T>, options?: LockOptions): Promise<T> {
    const { store, key } = this.#options;
    let begun = false;
    const once = () => {
      begun = true;
      return work();
    };
    try {
      return await store.exclusively(key, what, once, options);
    } catch (error) {
      if (begun || !(error instanceof HostError) || error.code !== "STORE_UNWRITABLE") throw error;
      this.#failed(error);
      return work();
    }
  }

  /** Resolves when what was obtained is written down: what was there before may be good for nothing by now. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#keeping]);
  }

  async #let(): Promise<void> {
    this.#unsaved = false;
    this.#changes += 1;
    await this.#take(undefined);
  }

  async #take(login: KeptLogin | undefined): Promise<void> {
    const same =
      login?.access_token === this.#login?.access_token && login?.refresh_token === this.#login?.refresh_token;
    if (same) return;
    await this.#options.onTaken(login);
    this.#login = login;
    if (login) this.#issuer = login.issuer;
  }

  #failed(error: unknown): void {
    const { state, conceal } = this.#options;
    state({ type: "state.failed", error: conceal(toHostError(error)).toJSON() });
  }
}
