/** Where Plugboard keeps its state: `$XDG_STATE_HOME/plugboard`, or what the platform has for that. For its owner alone. */
import { chmod, lstat, mkdir } from "node:fs/promises";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { HostError } from "@plugboard/contracts";
import { unwritable } from "./unwritable.ts";

type Env = { readonly [name: string]: string | undefined };

export function stateFolder(env: Env): string {
  const given = env["XDG_STATE_HOME"];
  if (given && isAbsolute(given)) return join(given, "plugboard");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] || homedir(), "plugboard", "state");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "plugboard", "state");
  return join(homedir(), ".local", "state", "plugboard");
}

/** Makes the folder if it isn't there and closes it to others. Throws STATE_UNSAFE if it is another user's. */
export async function ensureStateFolder(env: Env): Promise<string> {
  const folder = stateFolder(env);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await secure(folder, await lstat(folder));
  } catch (error) {
    throw error instanceof HostError ? error : unwritable(folder, error);
  }
  return folder;
}

/** Whether the folder is there. Secured and refused as by `ensureStateFolder`, but never made. A file in its place is no folder. */
export async function hasStateFolder(env: Env): Promise<boolean> {
  const folder = stateFolder(env);
  const found = await lstat(folder).catch(() => undefined);
  if (!found || found.isFile()) return false;
  await secure(folder, found);
  return true;
}

/** Throws STATE_UNSAFE for what is another user's, who could read or replace it. Windows has no such owners. */
export function checkOwner(path: string, { uid }: Stats): void {
  if (process.getuid && uid !== process.getuid()) throw unsafe(path, `it belongs to another user (${uid})`);
}

async function secure(folder: string, found: Stats): Promise<void> {
  if (!found.isDirectory()) throw unsafe(folder, "it is not a folder of its own");
  checkOwner(folder, found);
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

function unsafe(path: string, what: string): HostError {
  return new HostError("STATE_UNSAFE", { path, what });
}
