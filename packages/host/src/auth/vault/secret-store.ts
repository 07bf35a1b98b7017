/**
 * Stores the secrets that configs refer to with `$secret`, for all processes of the user. Caches nothing, because
 * another process may change a secret. Also finds secrets that another program has put into the keyring.
 */
import { HostError, systemClock } from "@plugboard/contracts";
import type { LoginBackend } from "@plugboard/contracts";
import type { VaultEntries } from "./encrypt-entries.ts";
import { unavailableReason } from "./encryption-keys.ts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { openVault } from "./open-vault.ts";
import type { OpenedVault, VaultOptions } from "./open-vault.ts";
import type { BackendReport } from "./vault.ts";

export interface SecretStoreOptions extends VaultOptions {
  /** Returns the backend of the logins. The first secret is stored in the same backend. */
  readonly loginBackend: () => Promise<LoginBackend>;
}

/** Where a secret is: in this store, or only in the keyring, where another program has put it. */
export type SecretPlace = "store" | "keyring";

const MAX_NAME_LENGTH = 128;
const MAX_VALUE_BYTES = 64 * 1024;
/** Names are shown on terminals and typed in shells. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_./:@-]*$/u;

export class SecretStore {
  readonly #vault: OpenedVault;
  readonly #keyring: Keyring;
  readonly #loginBackend: SecretStoreOptions["loginBackend"];
  readonly #now: () => number;

  constructor(options: SecretStoreOptions) {
    const { keyring, loginBackend, clock = systemClock } = options;
    this.#vault = openVault("secrets", options);
    this.#keyring = keyring;
    this.#loginBackend = loginBackend;
    this.#now = () => clock.now();
  }

  /** Returns undefined if there is no secret of that name. Throws if the store or the keyring can't be read. */
  async find(name: string): Promise<string | undefined> {
    return valueOf(await this.#vault.read(), name) ?? (await this.#findInKeyring(name));
  }

  /** Returns undefined if there is no secret of that name. */
  async locate(name: string): Promise<SecretPlace | undefined> {
    if (valueOf(await this.#vault.read(), name) !== undefined) return "store";
    return (await this.#findInKeyring(name)) === undefined ? undefined : "keyring";
  }

  /** Returns the time at which each secret of the store was set. Does not include secrets of other programs. */
  async list(): Promise<ReadonlyMap<string, number | undefined>> {
    const entries = await this.#vault.read();
    const names = Object.keys(entries).filter((name) => valueOf(entries, name) !== undefined);
    return new Map(names.map((name) => [name, timeOf(entries[name]!)]));
  }

  /** Replaces the secret of that name. Throws USAGE for an invalid name or value. */
  async set(name: string, value: string): Promise<void> {
    checkName(name);
    checkValue(value);
    await this.#followLoginBackend();
    await this.#vault.change((entries) => ({ ...entries, [name]: { value, set_at: this.#now() } }));
  }

  /** Removes the secret from the store and from the keyring. Returns false if there was none. */
  async remove(name: string): Promise<boolean> {
    let removed = false;
    await this.#vault.change((entries) => {
      removed = Object.hasOwn(entries, name);
      if (!removed) return entries;
      const { [name]: _, ...rest } = entries;
      return rest;
    });
    if ((await this.#findInKeyring(name)) === undefined) return removed;
    await this.#keyring.delete(keyringName(name));
    return true;
  }

  backend(): Promise<BackendReport> {
    return this.#vault.backend();
  }

  /**
   * Moves the secrets to another backend, if there are any. Returns the path of a backup if they can't be decrypted.
   */
  async setBackend(backend: "keyring" | "file"): Promise<string | undefined> {
    return (await this.#vault.exists()) ? this.#vault.setBackend(backend) : undefined;
  }

  /** Before the first secret is stored, chooses the same backend as the logins have. */
  async #followLoginBackend(): Promise<void> {
    if (await this.#vault.exists()) return;
    const backend = await this.#loginBackend();
    if (backend !== "memory") await this.#vault.setBackend(backend);
  }

  async #findInKeyring(name: string): Promise<string | undefined> {
    try {
      return await this.#keyring.get(keyringName(name));
    } catch (error) {
      // Without a keyring, no other program can have put the secret there.
      if (error instanceof KeyringUnavailable && error.failure === "absent") return undefined;
      throw new HostError("KEYRING_UNAVAILABLE", { reason: unavailableReason(error) }, { cause: error });
    }
  }
}

function keyringName(name: string): string {
  return `secret:${name}`;
}

function valueOf(entries: VaultEntries, name: string): string | undefined {
  const entry = Object.hasOwn(entries, name) ? (entries[name] as { readonly value?: unknown }) : {};
  return typeof entry.value === "string" ? entry.value : undefined;
}

function timeOf(entry: { readonly set_at?: unknown }): number | undefined {
  return typeof entry.set_at === "number" ? entry.set_at : undefined;
}

function checkName(name: string): void {
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return;
  const form = `letters, digits and _ . / : @ -, at most ${MAX_NAME_LENGTH} characters, and starts with a letter, a digit or _`;
  throw new HostError("USAGE", { message: `the name of a secret consists of ${form}`, omitHelp: true });
}

/** Validates the value. The error message does not quote it. */
function checkValue(value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > 0 && bytes <= MAX_VALUE_BYTES) return;
  const message = bytes === 0 ? "the value of a secret must not be empty" : "the value of a secret is too long";
  throw new HostError("USAGE", { message, omitHelp: true });
}
