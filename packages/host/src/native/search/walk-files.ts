/**
 * Lists the files of a folder and of the folders below it, in the order of their names. Runs in a thread, so it may use
 * synchronous functions. Never follows symbolic links: opens each folder, and looks up its names in the open folder.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { descriptorPath } from "../files/folder-handle.ts";
import { IgnoreRules } from "./ignore-rules.ts";

export interface WalkOptions {
  /** The real path of the workspace. */
  readonly root: string;
  /** The names from the workspace to the folder to list. */
  readonly start: readonly string[];
  /** Whether to list files in node_modules, and files that .gitignore files exclude. */
  readonly includeIgnored: boolean;
  /** The name of the only file to list, directly in the folder. Undefined lists all files. */
  readonly onlyFile?: string | undefined;
  /** Folders that are left out, as `device:inode`. */
  readonly hiddenFolders: readonly string[];
}

export interface WalkedFile {
  /** The names from the workspace to the file. */
  readonly names: readonly string[];
  /** A path for `node:fs`. It is valid until the next file. */
  readonly path: string;
}

const MAX_DEPTH = 100;
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;
export const OPEN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const OPEN_FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);

export function* walkFiles(options: WalkOptions): Generator<WalkedFile> {
  yield* walk(options.root, [], IgnoreRules.defaults, options);
}

function* walk(
  path: string,
  names: readonly string[],
  outerRules: IgnoreRules,
  options: WalkOptions,
): Generator<WalkedFile> {
  const folder = openFolder(path);
  if (!folder) return;
  try {
    if (options.hiddenFolders.includes(folder.id)) return;
    const { start } = options;
    const rules = rulesIn(folder.path, names, outerRules, options);
    const next = start[names.length];
    // Goes down to the folder to list, even if that folder itself is ignored.
    if (next !== undefined) return yield* walk(join(folder.path, next), [...names, next], rules, options);
    const { onlyFile } = options;
    if (onlyFile !== undefined) return yield { names: [...names, onlyFile], path: join(folder.path, onlyFile) };
    for (const entry of listFolder(folder.path)) {
      const entryNames = [...names, entry.name];
      const isFolder = entry.isDirectory();
      if (entry.name === ".git" || (!options.includeIgnored && rules.ignores(entryNames, isFolder))) continue;
      const entryPath = join(folder.path, entry.name);
      if (entry.isFile()) yield { names: entryNames, path: entryPath };
      else if (isFolder && entryNames.length < MAX_DEPTH) yield* walk(entryPath, entryNames, rules, options);
    }
  } finally {
    folder.close();
  }
}

/** Returns undefined if the folder can't be opened, for example because it has been removed or is a link by now. */
function openFolder(path: string) {
  try {
    if (process.platform === "win32") return { path, id: "", close: () => {} };
    const descriptor = openSync(path, OPEN_FOLDER);
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    const close = () => closeSync(descriptor);
    return { path: descriptorPath(descriptor) ?? path, id: `${dev}:${ino}`, close };
  } catch {
    return undefined;
  }
}

function listFolder(path: string): Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function rulesIn(path: string, names: readonly string[], outer: IgnoreRules, options: WalkOptions): IgnoreRules {
  if (options.includeIgnored) return outer;
  const text = readSmallFile(join(path, ".gitignore"));
  return text === undefined ? outer : outer.below(text, names.length);
}

function readSmallFile(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, OPEN_FILE);
    const stats = fstatSync(descriptor);
    return stats.isFile() && stats.size <= MAX_IGNORE_FILE_BYTES ? readFileSync(descriptor, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
