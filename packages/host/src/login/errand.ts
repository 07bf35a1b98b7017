/**
 * A program of its own that does one thing at the keyring of this machine and
 * ends. What it shall do comes by stdin, what came of it goes to stdout.
 */
import { text } from "node:stream/consumers";
import type { AsyncEntry } from "@napi-rs/keyring";

export type Errand =
  | { readonly get: string }
  | { readonly set: string; readonly value: string }
  | { readonly delete: string };

/** The words are those of the operating system. */
export type Outcome = { readonly value: string | null } | { readonly absent: string } | { readonly refused: string };

const SERVICE = "plugboard";
/** That there is no keyring is known sooner. */
const NO_ANSWER_MS = 1500;

process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as Errand)));

async function run(errand: Errand): Promise<Outcome> {
  const name = "get" in errand ? errand.get : "set" in errand ? errand.set : errand.delete;
  let entry;
  try {
    entry = await entryOf(name);
  } catch (error) {
    return { absent: words(error) };
  }
  try {
    if ("get" in errand) return { value: await entry.getPassword() };
    if ("set" in errand) await entry.setPassword(errand.value);
    else await entry.deletePassword();
    return { value: null };
  } catch (error) {
    return { refused: words(error) };
  }
}

/** Throws if there is no keyring. Until one that is just starting can be asked, this does not return. */
async function entryOf(name: string): Promise<AsyncEntry> {
  // There is not a binary of it for every machine.
  const { AsyncEntry } = await import("@napi-rs/keyring");
  for (;;) {
    const since = performance.now();
    try {
      // Left to itself it takes the keyring of the kernel where there is no other, which forgets at the next start.
      return new AsyncEntry(SERVICE, name, { linux: { store: "secret-service" } });
    } catch (error) {
      // It waits two seconds for an answer. How long to wait is for whoever has sent us, and who ends us then.
      if (performance.now() - since < NO_ANSWER_MS) throw error;
    }
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
