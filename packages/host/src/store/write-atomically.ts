/** Replaces a file whole or not at all. Until it is done the old one stands as it was, and no draft stays behind. */
import type { Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ioErrorCode, unwritableError } from "./io-error.ts";

export interface WriteOptions {
  /** Mode and owner as they shall be; 0600 and ours if absent. */
  readonly copyModeFrom?: Stats | undefined;
  /** What tells this draft from those of other writers, where no lock keeps them out. */
  readonly tempSuffix?: string | undefined;
}

/** The target's own name is replaced; a link there is not followed. */
export async function writeAtomically(target: string, data: string | Uint8Array, options: WriteOptions = {}) {
  const tempFile = join(dirname(target), `.${basename(target)}${options.tempSuffix ?? ""}.new`);
  try {
    // Whoever died at writing has left it.
    await rm(tempFile, { force: true });
    try {
      await writeNewFile(tempFile, data, options.copyModeFrom);
      await renameOver(tempFile, target);
    } catch (error) {
      await rm(tempFile, { force: true });
      throw error;
    }
  } catch (error) {
    throw unwritableError(target, error);
  }
  await syncFolder(dirname(target));
}

/** Throws if the file exists. Flushes it to disk, so its content survives a power cut. */
export async function writeNewFile(path: string, data: string | Uint8Array, copyModeFrom?: Stats): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(data);
    if (copyModeFrom) await copyModeAndOwner(file, copyModeFrom);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyModeAndOwner(file: FileHandle, source: Stats): Promise<void> {
  if (process.platform === "win32") return;
  const made = await file.stat();
  if (made.uid !== source.uid || made.gid !== source.gid) await file.chown(source.uid, source.gid);
  await file.chmod(source.mode & 0o777);
}

/** On Windows somebody who just reads the target, such as a virus scanner, is in the way for a moment. */
async function renameOver(tempFile: string, target: string): Promise<void> {
  for (let delayMs = 10; ; delayMs *= 2) {
    try {
      return await rename(tempFile, target);
    } catch (error) {
      const isTransient = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(ioErrorCode(error));
      if (!isTransient || delayMs > 1000) throw error;
      await delay(delayMs);
    }
  }
}

/** So that the new name survives a power cut too. Not every system lets a folder be synced, and the file is written. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
