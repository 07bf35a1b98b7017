/**
 * The keys with which logins are sealed, in the keyring. One that can't be had,
 * for whatever reason, is KEYRING_UNAVAILABLE: never an empty store of logins.
 */
import { HostError } from "@plugboard/contracts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { newEncryptionKey } from "./encrypt-logins.ts";
import type { EncryptionKey } from "./encrypt-logins.ts";

export class EncryptionKeys {
  readonly #keyring: Keyring;
  /** Each is asked for once; while the keyring waits for its user, all who want the key wait for the same answer. */
  readonly #cache = new Map<string, Promise<EncryptionKey>>();

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** It is in the keyring once this resolves. */
  async create(): Promise<EncryptionKey> {
    const key = newEncryptionKey();
    await rethrowUnavailable(this.#keyring.set(keyringName(key.id), key.secret.toString("base64")));
    return this.fetch(key.id);
  }

  fetch(id: string): Promise<EncryptionKey> {
    const cached = this.#cache.get(id);
    if (cached) return cached;
    const fetching = this.#fetchFromKeyring(id);
    this.#cache.set(id, fetching);
    // It may be unlocked the next time.
    fetching.catch(() => this.#cache.delete(id));
    return fetching;
  }

  async delete(id: string): Promise<void> {
    this.#cache.delete(id);
    await rethrowUnavailable(this.#keyring.delete(keyringName(id)));
  }

  async #fetchFromKeyring(id: string): Promise<EncryptionKey> {
    const found = await rethrowUnavailable(this.#keyring.get(keyringName(id)));
    if (found === undefined) throw unavailable("the key of the logins is not in this keyring");
    const secret = Buffer.from(found, "base64");
    if (secret.length !== 32) throw unavailable("what the keyring has for the logins is not a key");
    return { id, secret };
  }
}

/** In words; what else was thrown may quote what the keyring holds. */
export function unavailableReason(error: unknown): string {
  return error instanceof KeyringUnavailable ? error.message : "the keyring failed";
}

async function rethrowUnavailable<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw unavailable(unavailableReason(error), error);
  }
}

function unavailable(reason: string, cause?: unknown): HostError {
  return new HostError("KEYRING_UNAVAILABLE", { reason }, { cause });
}

function keyringName(id: string): string {
  return `mcp-auth:${id}`;
}
