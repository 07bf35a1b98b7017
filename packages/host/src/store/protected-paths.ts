/**
 * Whether a path leads to Plugboard's own config or state, by whatever name: through
 * links, in another case, as a second name of the same file, before it exists.
 * In doubt it does: who asks wants to know what an agent must not write.
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
    // What can't be followed (a circle of links, a folder that may not be read) can't be cleared either.
    return true;
  }
}

async function isSameFile(path: string, names: readonly string[], file: string): Promise<boolean> {
  const others = new Set((await equivalentPaths(file)).map(caseFolded));
  if (names.some((name) => others.has(caseFolded(name)))) return true;
  const [one, two] = await Promise.all([inodeOf(path), inodeOf(file)]);
  return one !== undefined && one === two;
}

/** The folder may be known by another name that no link tells of, such as a second mount. */
async function isInside(names: readonly string[], folder: string): Promise<boolean> {
  const roots = new Set((await equivalentPaths(folder)).map(caseFolded));
  const inode = await inodeOf(folder);
  for (const above of new Set(names.flatMap(withAncestors))) {
    if (roots.has(caseFolded(above)) || (inode !== undefined && inode === (await inodeOf(above)))) return true;
  }
  return false;
}

/** Where it stands, and where it leads if it is a link: to replace the link is to change the file. */
async function equivalentPaths(path: string): Promise<string[]> {
  const whole = resolve(path);
  return [join(await realPathOf(dirname(whole)), basename(whole)), await realPathOf(whole)];
}

/** Whether this file system takes two spellings for one name is not asked: it is assumed. */
function caseFolded(path: string): string {
  return (process.platform === "win32" ? stripWindowsSuffixes(path) : path).normalize("NFC").toLowerCase();
}

/** `config.json::$DATA` and `config.json.` are `config.json`. */
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
