/**
 * Decides whether a path leads to Plugboard's own config or state, which an agent must not write. Finds symbolic
 * links, hard links, other spellings of the case, and files that do not exist yet. Returns true in doubt.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "./real-path.ts";

export interface ProtectedLocations {
  readonly configFiles: readonly string[];
  readonly stateFolder: string;
}

export async function isProtected(path: string, { configFiles, stateFolder }: ProtectedLocations): Promise<boolean> {
  try {
    const names = await equivalentPaths(path);
    const same = await Promise.all(configFiles.map((file) => isSameFile(path, names, file)));
    return same.includes(true) || (await isInside(names, stateFolder));
  } catch {
    // A path that can't be resolved (a link cycle, an unreadable folder) may be protected.
    return true;
  }
}

async function isSameFile(path: string, names: readonly string[], file: string): Promise<boolean> {
  const others = new Set((await equivalentPaths(file)).map(caseFolded));
  if (names.some((name) => others.has(caseFolded(name)))) return true;
  const [one, two] = await Promise.all([inodeOf(path), inodeOf(file)]);
  return one !== undefined && one === two;
}

/** Also compares inodes, because a second mount gives the folder another path. */
async function isInside(names: readonly string[], folder: string): Promise<boolean> {
  const roots = new Set((await equivalentPaths(folder)).map(caseFolded));
  const inode = await inodeOf(folder);
  for (const above of new Set(names.flatMap(withAncestors))) {
    if (roots.has(caseFolded(above)) || (inode !== undefined && inode === (await inodeOf(above)))) return true;
  }
  return false;
}

/** Returns the path of a link as well as its target, because replacing the link changes the file. */
async function equivalentPaths(path: string): Promise<string[]> {
  const whole = resolve(path);
  return [join(await realPathOf(dirname(whole)), basename(whole)), await realPathOf(whole)];
}

/** Assumes a file system that ignores case. */
function caseFolded(path: string): string {
  return (process.platform === "win32" ? stripWindowsSuffixes(path) : path).normalize("NFC").toLowerCase();
}

/** On Windows, `config.json::$DATA` and `config.json.` name `config.json`. */
function stripWindowsSuffixes(path: string): string {
  return path.replace(/(?<=[^\\]):[^\\]*$/, "").replace(/[. ]+(?=\\|$)/g, "");
}

function withAncestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...withAncestors(above)];
}

async function inodeOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}
