/**
 * The keys in the keyring that encrypt logins and secrets. All methods throw KEYRING_UNAVAILABLE if the keyring fails,
 * so that a file that can't be decrypted never looks empty.
 */
import { HostError } from "@plugboard/contracts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { newEncryptionKey } from "./encrypt-entries.ts";
import type { EncryptionKey } from "./encrypt-entries.ts";
import type { VaultKind } from "./vault-file.ts";

export class EncryptionKeys {
  readonly #keyring: Keyring;
  readonly #kind: VaultKind;
  /** Concurrent callers share one request, because the keyring may be waiting for the user to unlock it. */
  readonly #cache = new Map<string, Promise<EncryptionKey>>();

  constructor(keyring: Keyring, kind: VaultKind) {
    this.#keyring = keyring;
    this.#kind = kind;
  }

  /** Resolves when the new key is stored in the keyring. */
  async create(): Promise<EncryptionKey> {
    const key = newEncryptionKey();
    await orThrowUnavailable(this.#keyring.set(keyringName(key.id), key.secret.toString("base64")));
    // Reads the key back, so that a keyring that did not store it fails here.
    return this.fetch(key.id);
  }

  fetch(id: string): Promise<EncryptionKey> {
    const cached = this.#cache.get(id);
    if (cached) return cached;
    const fetching = this.#fetchFromKeyring(id);
    this.#cache.set(id, fetching);
    // A failure is not cached, because the keyring may be unlocked the next time.
    fetching.catch(() => this.#cache.delete(id));
    return fetching;
  }

  async delete(id: string): Promise<void> {
    this.#cache.delete(id);
    await orThrowUnavailable(this.#keyring.delete(keyringName(id)));
  }

  async #fetchFromKeyring(id: string): Promise<EncryptionKey> {
    const encodedKey = await orThrowUnavailable(this.#keyring.get(keyringName(id)));
    if (encodedKey === undefined) throw unavailableError(`the key of the ${this.#kind} is not in this keyring`);
    const secret = Buffer.from(encodedKey, "base64");
    if (secret.length !== 32) throw unavailableError(`the keyring entry for the ${this.#kind} is not a valid key`);
    return { id, secret };
  }
}

/** Returns the reason for display. The message of an unknown error is not shown, because it may contain a secret. */
export function unavailableReason(error: unknown): string {
  return error instanceof KeyringUnavailable ? error.message : "the keyring failed";
}

/** Converts an error of the keyring to KEYRING_UNAVAILABLE. */
async function orThrowUnavailable<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw unavailableError(unavailableReason(error), error);
  }
}

function unavailableError(reason: string, cause?: unknown): HostError {
  return new HostError("KEYRING_UNAVAILABLE", { reason }, { cause });
}

function keyringName(id: string): string {
  return `mcp-auth:${id}`;
}
