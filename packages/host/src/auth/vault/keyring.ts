/**
 * The interface to the keyring of the operating system, which stores short secrets by name. A missing secret is
 * undefined. A keyring that can't be used throws `KeyringUnavailable`, so that a locked keyring never looks empty.
 */
import { randomBytes } from "node:crypto";

export interface Keyring {
  /** Returns undefined if there is no such secret. The keyring may ask the user to unlock it within the timeout. */
  get(name: string, timeoutMs?: number): Promise<string | undefined>;
  set(name: string, value: string, timeoutMs?: number): Promise<void>;
  /** Succeeds if there is no such secret. */
  delete(name: string, timeoutMs?: number): Promise<void>;
}

/**
 * `absent`: there is no keyring. `refused`: it is locked, or the user dismissed its prompt. `silent`: it did not
 * answer in time.
 */
export type KeyringFailure = "absent" | "refused" | "silent";

export class KeyringUnavailable extends Error {
  override readonly name = "KeyringUnavailable";
  readonly failure: KeyringFailure;

  /** The message and the cause must not contain a secret. */
  constructor(failure: KeyringFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/**
 * Shorter than the default timeout, because a locked keyring waits for a user, and the probe may run without a user.
 */
const PROBE_TIMEOUT_MS = 10_000;

/** Writes, reads and deletes a test secret. Rejects with `KeyringUnavailable` if the keyring can't be used. */
export async function probeKeyring(keyring: Keyring): Promise<void> {
  const name = `probe:${randomBytes(8).toString("hex")}`;
  const value = randomBytes(8).toString("hex");
  await keyring.set(name, value, PROBE_TIMEOUT_MS);
  const readBack = await keyring.get(name, PROBE_TIMEOUT_MS);
  await keyring.delete(name, PROBE_TIMEOUT_MS);
  if (readBack !== value)
    throw new KeyringUnavailable("refused", "the keyring did not return the value that was stored");
}
