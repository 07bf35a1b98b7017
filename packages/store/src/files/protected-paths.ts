/**
 * Decides whether a path leads to Plugboard's own config or state, which an agent must not write. Detects symbolic
 * links, hard links, paths in another case, and files that do not exist yet. Returns true in doubt.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "./real-path.ts";

export interface ProtectedLocations {
  readonly configFiles: readonly string[];
  /** Undefined if the state is kept in memory. */
  readonly stateFolder: string | undefined;
}

export async function isProtected(path: string, { configFiles, stateFolder }: ProtectedLocations): Promise<boolean> {
  try {
    const paths = await equivalentPaths(path);
    const same = await Promise.all(configFiles.map((file) => isSameFile(path, paths, file)));
    return same.includes(true) || (stateFolder !== undefined && (await isInside(paths, stateFolder)));
  } catch {
    // A path that can't be resolved (a link cycle, an unreadable folder) may be protected.
    return true;
  }
}

async function isSameFile(path: string, paths: readonly string[], file: string): Promise<boolean> {
  const others = new Set((await equivalentPaths(file)).map(caseFolded));
  if (paths.some((name) => others.has(caseFolded(name)))) return true;
  const [inode, otherInode] = await Promise.all([inodeOf(path), inodeOf(file)]);
  return inode !== undefined && inode === otherInode;
}

/** Also compares inodes, because a second mount gives the folder another path. */
async function isInside(paths: readonly string[], folder: string): Promise<boolean> {
  const roots = new Set((await equivalentPaths(folder)).map(caseFolded));
  const inode = await inodeOf(folder);
  for (const ancestor of new Set(paths.flatMap(withAncestors))) {
    if (roots.has(caseFolded(ancestor)) || (inode !== undefined && inode === (await inodeOf(ancestor)))) return true;
  }
  return false;
}

/** Returns the path of a link as well as its target, because an agent could replace the link itself. */
async function equivalentPaths(path: string): Promise<string[]> {
  const absolute = resolve(path);
  return [join(await realPathOf(dirname(absolute)), basename(absolute)), await realPathOf(absolute)];
}

/** Treats every file system as one that ignores case. */
function caseFolded(path: string): string {
  return (process.platform === "win32" ? stripWindowsSuffixes(path) : path).normalize("NFC").toLowerCase();
}

/** On Windows, `config.json::$DATA` and `config.json.` name `config.json`. */
function stripWindowsSuffixes(path: string): string {
  return path.replace(/(?<=[^\\]):[^\\]*$/, "").replace(/[. ]+(?=\\|$)/g, "");
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withAncestors(parent)];
}

async function inodeOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}
