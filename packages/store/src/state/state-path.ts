/**
 * Locates the state folder: `$XDG_STATE_HOME/plugboard`, or the platform's default. Only its owner can read it. These
 * functions are synchronous: a command that uses the running host calls them, and needs no other file.
 */
import { chmodSync, lstatSync } from "node:fs";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";

export function stateFolder(env: Env): string {
  const given = env["XDG_STATE_HOME"];
  if (given && isAbsolute(given)) return join(given, "plugboard");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] || homedir(), "plugboard", "state");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "plugboard", "state");
  return join(homedir(), ".local", "state", "plugboard");
}

/** Returns false if there is no folder, or a file in its place. Makes the folder private, or throws STATE_UNSAFE. */
export function hasStateFolder(env: Env): boolean {
  const folder = stateFolder(env);
  const stats = statsOf(folder);
  if (!stats || stats.isFile()) return false;
  ensurePrivate(folder, stats);
  return true;
}

/** Does not follow a symbolic link. Returns undefined if the path can't be examined. */
export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Throws STATE_UNSAFE for a file of another user, who could read or replace it. Windows is not checked. */
export function checkOwner(path: string, { uid }: Stats): void {
  if (process.getuid && uid !== process.getuid()) throw unsafeError(path, `it belongs to another user (${uid})`);
}

/** Makes the folder accessible only to its owner. Throws STATE_UNSAFE if it is no folder, or one of another user. */
export function ensurePrivate(folder: string, stats: Stats): void {
  if (!stats.isDirectory()) throw unsafeError(folder, "it is not a folder, or is a symbolic link");
  checkOwner(folder, stats);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function unsafeError(path: string, reason: string): HostError {
  return new HostError("STATE_UNSAFE", { path, reason });
}
