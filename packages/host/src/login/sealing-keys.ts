/**
 * The keys with which logins are sealed, in the keyring. One that can't be had,
 * for whatever reason, is KEYRING_UNAVAILABLE: never an empty store of logins.
 */
import { HostError } from "@plugboard/contracts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { newSealingKey } from "./sealed-logins.ts";
import type { SealingKey } from "./sealed-logins.ts";

export class SealingKeys {
  readonly #keyring: Keyring;
  /** Each is asked for once; while the keyring waits for its user, all who want the key wait for the same answer. */
  readonly #known = new Map<string, Promise<SealingKey>>();

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** It is in the keyring once this resolves. */
  async make(): Promise<SealingKey> {
    const key = newSealingKey();
    await unlessUnavailable(this.#keyring.set(nameOf(key.id), key.secret.toString("base64")));
    return this.fetch(key.id);
  }

  fetch(id: string): Promise<SealingKey> {
    const known = this.#known.get(id);
    if (known) return known;
    const asked = this.#ask(id);
    this.#known.set(id, asked);
    // It may be unlocked the next time.
    asked.catch(() => this.#known.delete(id));
    return asked;
  }

  async delete(id: string): Promise<void> {
    this.#known.delete(id);
    await unlessUnavailable(this.#keyring.delete(nameOf(id)));
  }

  async #ask(id: string): Promise<SealingKey> {
    const found = await unlessUnavailable(this.#keyring.get(nameOf(id)));
    if (found === undefined) throw unavailable("the key of the logins is not in this keyring");
    const secret = Buffer.from(found, "base64");
    if (secret.length !== 32) throw unavailable("what the keyring has for the logins is not a key");
    return { id, secret };
  }
}

/** In words; what else was thrown may quote what the keyring holds. */
export function whyUnavailable(error: unknown): string {
  return error instanceof KeyringUnavailable ? error.message : "the keyring failed";
}

async function unlessUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw unavailable(whyUnavailable(error), error);
  }
}

function unavailable(what: string, cause?: unknown): HostError {
  return new HostError("KEYRING_UNAVAILABLE", { what }, { cause });
}

function nameOf(id: string): string {
  return `mcp-auth:${id}`;
}
