/** Removes the files and folders of Plugboard. */
import { readdir, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ioErrorCode, unwritableError } from "@plugboard/store";
import type { PurgeKind } from "./purge-step.ts";

/** The folder in the state folder with the backups of the files of clients. */
const BACKUPS = "connect";

/** Removes a file, or a folder with everything in it. With `parent`, also removes the parent folder if it is empty. */
export async function removeFolder(path: string, { parent }: { readonly parent: boolean }): Promise<void> {
  await remove(path);
  if (parent) await removeIfEmpty(dirname(path));
}

/** Removes one file or link. Fails for a folder, which may contain files of the user. */
export async function removeFile(path: string, { parent }: { readonly parent: boolean }): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT") throw unwritableError(path, error);
  }
  if (parent) await removeIfEmpty(dirname(path));
}

/** Keeps the backups of the clients' files if one of them could not be restored. */
export async function removeStateFolder(path: string, failed: ReadonlySet<PurgeKind>): Promise<void> {
  if (!failed.has("disconnect")) return remove(path);
  for (const name of await readdir(path)) if (name !== BACKUPS) await remove(join(path, name));
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    throw unwritableError(path, error);
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = ioErrorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw unwritableError(folder, error);
  }
}
