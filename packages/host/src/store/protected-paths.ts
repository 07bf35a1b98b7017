/**
 * Whether a path leads to Plugboard's own config or state, by whatever name: through
 * links, in another case, as a second name of the same file, before it exists.
 * In doubt it does: who asks wants to know what an agent must not write.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "./real-path.ts";

export interface ProtectedPlaces {
  readonly configFiles: readonly string[];
  readonly stateFolder: string;
}

export async function isProtected(path: string, { configFiles, stateFolder }: ProtectedPlaces): Promise<boolean> {
  try {
    const names = await namesOf(path);
    const same = await Promise.all(configFiles.map((file) => isSame(path, names, file)));
    return same.includes(true) || (await isInside(names, stateFolder));
  } catch {
    // What can't be followed (a circle of links, a folder that may not be read) can't be cleared either.
    return true;
  }
}

async function isSame(path: string, names: readonly string[], file: string): Promise<boolean> {
  const others = new Set((await namesOf(file)).map(folded));
  if (names.some((name) => others.has(folded(name)))) return true;
  const [one, two] = await Promise.all([inodeOf(path), inodeOf(file)]);
  return one !== undefined && one === two;
}

/** The folder may be known by another name that no link tells of, such as a second mount. */
async function isInside(names: readonly string[], folder: string): Promise<boolean> {
  const roots = new Set((await namesOf(folder)).map(folded));
  const inode = await inodeOf(folder);
  for (const above of new Set(names.flatMap(chain))) {
    if (roots.has(folded(above)) || (inode !== undefined && inode === (await inodeOf(above)))) return true;
  }
  return false;
}

/** Where it stands, and where it leads if it is a link: to replace the link is to change the file. */
async function namesOf(path: string): Promise<string[]> {
  const whole = resolve(path);
  return [join(await realPathOf(dirname(whole)), basename(whole)), await realPathOf(whole)];
}

/** Whether this file system takes two spellings for one name is not asked: it is assumed. */
function folded(path: string): string {
  return (process.platform === "win32" ? withoutWindowsTails(path) : path).normalize("NFC").toLowerCase();
}

/** `config.json::$DATA` and `config.json.` are `config.json`. */
function withoutWindowsTails(path: string): string {
  return path.replace(/(?<=[^\\]):[^\\]*$/, "").replace(/[. ]+(?=\\|$)/g, "");
}

function chain(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...chain(above)];
}

async function inodeOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}
