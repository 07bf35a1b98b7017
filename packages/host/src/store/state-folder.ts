/**
 * Locates and secures the state folder: `$XDG_STATE_HOME/plugboard`, or the platform's default. Only its owner can
 * read it.
 */
import { chmod, lstat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { unwritableError } from "./io-error.ts";
import { makeFolder } from "./make-folder.ts";

export function stateFolder(env: Env): string {
  const given = env["XDG_STATE_HOME"];
  if (given && isAbsolute(given)) return join(given, "plugboard");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] || homedir(), "plugboard", "state");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "plugboard", "state");
  return join(homedir(), ".local", "state", "plugboard");
}

/** Creates the folder if needed and makes it private. Throws STATE_UNSAFE if it belongs to another user. */
export async function ensureStateFolder(env: Env): Promise<string> {
  const folder = stateFolder(env);
  try {
    await makeFolder(folder);
    await ensurePrivate(folder, await lstat(folder));
  } catch (error) {
    throw error instanceof HostError ? error : unwritableError(folder, error);
  }
  return folder;
}

/** Returns false if there is no folder, or a file in its place. Secures and rejects a folder like `ensureStateFolder`. */
export async function hasStateFolder(env: Env): Promise<boolean> {
  const folder = stateFolder(env);
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats || stats.isFile()) return false;
  await ensurePrivate(folder, stats);
  return true;
}

/** Throws STATE_UNSAFE for a file of another user, who could read or replace it. Windows is not checked. */
export function checkOwner(path: string, { uid }: Stats): void {
  if (process.getuid && uid !== process.getuid()) throw unsafeError(path, `it belongs to another user (${uid})`);
}

async function ensurePrivate(folder: string, stats: Stats): Promise<void> {
  if (!stats.isDirectory()) throw unsafeError(folder, "it is not a folder, or is a symbolic link");
  checkOwner(folder, stats);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

function unsafeError(path: string, reason: string): HostError {
  return new HostError("STATE_UNSAFE", { path, reason });
}
