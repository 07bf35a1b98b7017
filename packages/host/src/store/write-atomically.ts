/** Replaces a file whole or not at all. Until it is done the old one stands as it was, and no draft stays behind. */
import type { Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ioCode, unwritable } from "./unwritable.ts";

export interface WriteOptions {
  /** Mode and owner as they shall be; 0600 and ours if absent. */
  readonly like?: Stats | undefined;
  /** What tells this draft from those of other writers, where no lock keeps them out. */
  readonly draft?: string | undefined;
}

/** The target's own name is replaced; a link there is not followed. */
export async function writeAtomically(target: string, data: string | Uint8Array, options: WriteOptions = {}) {
  const draft = join(dirname(target), `.${basename(target)}${options.draft ?? ""}.new`);
  try {
    // Whoever died at writing has left it.
    await rm(draft, { force: true });
    try {
      await writeDraft(draft, data, options.like);
      await renameOver(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } catch (error) {
    throw unwritable(target, error);
  }
  await syncFolder(dirname(target));
}

/** Throws if the file exists. Flushes it to disk, so its content survives a power cut. */
export async function writeDraft(draft: string, data: string | Uint8Array, like?: Stats): Promise<void> {
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(data);
    if (like) await resemble(file, like);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function resemble(file: FileHandle, like: Stats): Promise<void> {
  if (process.platform === "win32") return;
  const made = await file.stat();
  if (made.uid !== like.uid || made.gid !== like.gid) await file.chown(like.uid, like.gid);
  await file.chmod(like.mode & 0o777);
}

/** On Windows somebody who just reads the target, such as a virus scanner, is in the way for a moment. */
async function renameOver(draft: string, target: string): Promise<void> {
  for (let pause = 10; ; pause *= 2) {
    try {
      return await rename(draft, target);
    } catch (error) {
      const passing = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(ioCode(error));
      if (!passing || pause > 1000) throw error;
      await delay(pause);
    }
  }
}

/** So that the new name survives a power cut too. Not every system lets a folder be synced, and the file is written. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
