/** Creates the state folder. */
import { lstat } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { unwritableError } from "../files/io-error.ts";
import { makeFolder } from "../files/make-folder.ts";
import { ensurePrivate, stateFolder } from "./state-path.ts";

/** Creates the folder if needed and makes it private. Throws STATE_UNSAFE if it belongs to another user. */
export async function ensureStateFolder(env: Env): Promise<string> {
  const folder = stateFolder(env);
  try {
    await makeFolder(folder);
    ensurePrivate(folder, await lstat(folder));
  } catch (error) {
    throw error instanceof HostError ? error : unwritableError(folder, error);
  }
  return folder;
}
