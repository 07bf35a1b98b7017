/**
 * A separate program that runs one keyring command and exits. Reads a KeyringCommand as JSON from stdin and writes a
 * KeyringReply to stdout.
 */
import { text } from "node:stream/consumers";
import type { AsyncEntry } from "@napi-rs/keyring";

export type KeyringCommand =
  | { readonly get: string }
  | { readonly set: string; readonly value: string }
  | { readonly delete: string };

/**
 * `absent`: there is no keyring. `refused`: it is locked, or the user dismissed its prompt. Both have the error message
 * of the operating system.
 */
export type KeyringReply =
  | { readonly value: string | null }
  | { readonly absent: string }
  | { readonly refused: string };

const SERVICE = "plugboard";
/**
 * If there is no keyring, opening an entry fails within this time. If the keyring is still starting, it fails later.
 */
const FAST_FAILURE_MS = 1500;

void answer();

async function answer(): Promise<void> {
  const command = JSON.parse(await text(process.stdin)) as KeyringCommand;
  process.stdout.write(JSON.stringify(await runCommand(command)));
}

async function runCommand(command: KeyringCommand): Promise<KeyringReply> {
  const name = "get" in command ? command.get : "set" in command ? command.set : command.delete;
  let entry;
  try {
    entry = await openEntry(name);
  } catch (error) {
    return { absent: errorMessage(error) };
  }
  try {
    if ("get" in command) return { value: await entry.getPassword() };
    if ("set" in command) await entry.setPassword(command.value);
    else await entry.deletePassword();
    return { value: null };
  } catch (error) {
    return { refused: errorMessage(error) };
  }
}

/** Throws if there is no keyring. Retries without limit while the keyring is starting. */
async function openEntry(name: string): Promise<AsyncEntry> {
  // Imported here, because the package has no binary for some platforms and then throws.
  const { AsyncEntry } = await import("@napi-rs/keyring");
  for (;;) {
    const startedAt = performance.now();
    try {
      // By default the package would fall back to the kernel keyring, which loses its entries at a restart.
      return new AsyncEntry(SERVICE, name, { linux: { store: "secret-service" } });
    } catch (error) {
      // A keyring that is starting fails after two seconds. The parent process kills this one when it stops waiting.
      if (performance.now() - startedAt < FAST_FAILURE_MS) throw error;
    }
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
