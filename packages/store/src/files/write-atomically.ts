/** Replaces a file atomically: readers see the old or the new content. A failed write leaves no temporary file. */
import type { Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ioErrorCode, unwritableError } from "./io-error.ts";

export interface WriteOptions {
  /** The file whose mode and owner the new file gets. Without it, the new file gets `mode` and the current user. */
  readonly copyModeFrom?: Stats | undefined;
  /** The mode of the new file before the umask applies. Defaults to 0600. */
  readonly mode?: number | undefined;
  /** Makes the name of the temporary file unique. Needed if no lock excludes other writers. */
  readonly tempSuffix?: string | undefined;
}

/** Replaces a symbolic link instead of its target. */
export async function writeAtomically(target: string, data: string | Uint8Array, options: WriteOptions = {}) {
  const tempFile = join(dirname(target), `.${basename(target)}${options.tempSuffix ?? ""}.new`);
  try {
    // A process that crashed while writing may have left a temporary file.
    await rm(tempFile, { force: true });
    try {
      await writeNewFile(tempFile, data, options);
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

/** Throws if the file exists. Flushes it to disk, so its content survives a power cut. Removes an incomplete file. */
export async function writeNewFile(
  path: string,
  data: string | Uint8Array,
  { copyModeFrom, mode = 0o600 }: Pick<WriteOptions, "copyModeFrom" | "mode"> = {},
): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(data);
    if (copyModeFrom) await copyModeAndOwner(file, copyModeFrom);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function copyModeAndOwner(file: FileHandle, source: Stats): Promise<void> {
  if (process.platform === "win32") return;
  const created = await file.stat();
  if (created.uid !== source.uid || created.gid !== source.gid) await file.chown(source.uid, source.gid);
  await file.chmod(source.mode & 0o777);
}

/** Retries on Windows, where a reader such as a virus scanner blocks the rename for a moment. */
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

/** Flushes the folder, so that the new name survives a power cut. Ignores systems that do not support it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
