/** Where Plugboard keeps its state: `$XDG_STATE_HOME/plugboard`, or what the platform has for that. For its owner alone. */
import { chmod, lstat, mkdir } from "node:fs/promises";
import type { Stats } from "node:fs";
import { homedir, userInfo } from "node:os";
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

/** Made if it isn't there, closed to others if it is ours, refused if it isn't. */
export async function ensureStateFolder(env: Env): Promise<string> {
  const folder = stateFolder(env);
  const found = await made(folder);
  if (!found.isDirectory()) throw unsafe(folder, "it is not a folder of its own");
  if (process.getuid && found.uid !== process.getuid()) throw unsafe(folder, "it belongs to somebody else");
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  return folder;
}

async function made(folder: string): Promise<Stats> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await lstat(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** The address of the running host. Windows has no sockets in the file system, but pipes by name. */
export function socketPath(env: Env): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\plugboard-${userInfo().username}`;
  return join(stateFolder(env), "host.sock");
}

function unsafe(file: string, what: string): HostError {
  return new HostError("CONFIG_INVALID", { file, what });
}
