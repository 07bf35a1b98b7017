/**
 * Creates a folder and its missing parents with mode 0700. Replaces Node's recursive `mkdir`, which reports a
 * read-only file system as ENOENT and never returns for a folder under /proc.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ioErrorCode } from "./io-error.ts";

export async function makeFolder(path: string): Promise<void> {
  try {
    await makeSingleFolder(path);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeSingleFolder(path);
  }
}

async function makeSingleFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (ioErrorCode(error) !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
  }
}
