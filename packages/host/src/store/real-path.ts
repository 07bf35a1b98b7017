/** Where a path leads in the end, through links, though what it names, or its folders, need not exist yet. */
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ioCode } from "./unwritable.ts";

const MOST_LINKS = 40;

export async function realPathOf(path: string, links = 0): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (error) {
    if (ioCode(error) !== "ENOENT" || links > MOST_LINKS) throw error;
  }
  // A link to what is not there yet: who writes to it makes it over there.
  const target = await linkTarget(whole);
  if (target !== undefined) return realPathOf(resolve(dirname(whole), target), links + 1);
  const folder = dirname(whole);
  return folder === whole ? whole : join(await realPathOf(folder, links), basename(whole));
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (ioCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
