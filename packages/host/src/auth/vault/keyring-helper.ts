/**
 * A program of its own that does one thing at the keyring of this machine and
 * ends. What it shall do comes by stdin, what came of it goes to stdout.
 */
import { text } from "node:stream/consumers";
import type { AsyncEntry } from "@napi-rs/keyring";

export type KeyringCommand =
  | { readonly get: string }
  | { readonly set: string; readonly value: string }
  | { readonly delete: string };

/** The words are those of the operating system. */
export type KeyringReply =
  | { readonly value: string | null }
  | { readonly absent: string }
  | { readonly refused: string };

const SERVICE = "plugboard";
/** That there is no keyring is known sooner. */
const SERVICE_TIMEOUT_MS = 1500;

process.stdout.write(JSON.stringify(await runCommand(JSON.parse(await text(process.stdin)) as KeyringCommand)));

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

/** Throws if there is no keyring. Until one that is just starting can be asked, this does not return. */
async function openEntry(name: string): Promise<AsyncEntry> {
  // There is not a binary of it for every machine.
  const { AsyncEntry } = await import("@napi-rs/keyring");
  for (;;) {
    const startedAt = performance.now();
    try {
      // Left to itself it takes the keyring of the kernel where there is no other, which forgets at the next start.
      return new AsyncEntry(SERVICE, name, { linux: { store: "secret-service" } });
    } catch (error) {
      // It waits two seconds for an answer. How long to wait is for whoever has sent us, and who ends us then.
      if (performance.now() - startedAt < SERVICE_TIMEOUT_MS) throw error;
    }
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
