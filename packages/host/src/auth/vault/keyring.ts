/**
 * The keyring of the operating system, as a port: short secrets by name. That it
 * has none of a name is an answer. That it could not be asked is a
 * `KeyringUnavailable`, so that a locked keyring is never taken for an empty one.
 */
import { randomBytes } from "node:crypto";
import { HostError } from "@plugboard/contracts";

export interface Keyring {
  /** Nothing if it has none of that name. It may ask the user to unlock it: how long is that waited for? */
  get(name: string, timeoutMs?: number): Promise<string | undefined>;
  set(name: string, value: string, timeoutMs?: number): Promise<void>;
  /** Also where there is none. */
  delete(name: string, timeoutMs?: number): Promise<void>;
}

/**
 * `absent`: there is none to be asked. `refused`: it is locked, or what it asked the user was dismissed. `silent`: it
 * gave no answer in time.
 */
export type KeyringFailure = "absent" | "refused" | "silent";

export class KeyringUnavailable extends Error {
  override readonly name = "KeyringUnavailable";
  readonly failure: KeyringFailure;

  /** Never with what the keyring holds. */
  constructor(trouble: KeyringFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = trouble;
  }
}

/** Who wants to use it should not have to wait for somebody who is not there to unlock it. */
const PROBE_TIMEOUT_MS = 10_000;

/** Writes, reads and deletes. Rejects with why the keyring can't be used. */
export async function probeKeyring(keyring: Keyring): Promise<void> {
  const name = `probe:${randomBytes(8).toString("hex")}`;
  const value = randomBytes(8).toString("hex");
  await keyring.set(name, value, PROBE_TIMEOUT_MS);
  const found = await keyring.get(name, PROBE_TIMEOUT_MS);
  await keyring.delete(name, PROBE_TIMEOUT_MS);
  if (found !== value) throw new KeyringUnavailable("refused", "the keyring does not keep what it is given");
}

/** The secrets that a config names, each with its own entry in the keyring. */
export function keyringSecrets(keyring: Keyring): (name: string) => Promise<string | undefined> {
  return (name) =>
    keyring.get(`secret:${name}`).catch((error: unknown) => {
      if (!(error instanceof KeyringUnavailable)) throw error;
      throw new HostError("KEYRING_UNAVAILABLE", { reason: error.message }, { cause: error });
    });
}
