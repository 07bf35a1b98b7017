/**
 * Creates a folder and its missing parents, by default with mode 0700. Replaces Node's recursive `mkdir`, which reports
 * a read-only file system as ENOENT and never returns for a folder under /proc.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ioErrorCode } from "./io-error.ts";

export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await makeSingleFolder(path, mode);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeSingleFolder(path, mode);
  }
}

async function makeSingleFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (ioErrorCode(error) !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
  }
}
