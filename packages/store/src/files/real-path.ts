/** Resolves symbolic links in a path, even if the file or its folders do not exist yet. */
import { realpathSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ioErrorCode } from "./io-error.ts";

const MAX_LINKS = 40;

export async function realPathOf(path: string, linksFollowed = 0): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT" || linksFollowed > MAX_LINKS) throw error;
  }
  // Follows a dangling link too, because writing to it creates the file at its target.
  const target = await linkTarget(absolute);
  if (target !== undefined) return realPathOf(resolve(dirname(absolute), target), linksFollowed + 1);
  const folder = dirname(absolute);
  return folder === absolute ? absolute : join(await realPathOf(folder, linksFollowed), basename(absolute));
}

/** Returns the absolute path itself if its links can't be followed. */
export async function realPathOrSelf(path: string): Promise<string> {
  return realPathOf(path).catch(() => resolve(path));
}

/** Returns whether a path is in a folder or below it. Expects real paths. */
export function isInsideFolder(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== ".." && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/** Like `realPathOrSelf`, but does not resolve links in the path of a missing file. */
export function realPathOrSelfSync(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (ioErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
