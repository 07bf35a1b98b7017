/** Mounts a real file system of 64 KiB that a test can fill. Needs root. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const canMount = process.platform === "linux" && process.getuid?.() === 0;

export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk, except for the given number of bytes. */
  fill(bytesLeft?: number): Promise<void>;
  /** Deletes what `fill` has written. */
  empty(): Promise<void>;
}

export async function mountSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-full-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
  onTestFinished(async () => {
    execFileSync("umount", ["-l", folder]);
    await rm(folder, { recursive: true });
  });
  const filler = join(folder, "filler");
  return {
    folder,
    async fill(bytesLeft = 0) {
      // This write is meant to fail, because the disk becomes full.
      await writeFile(filler, "y".repeat(100_000)).catch(() => {});
      await truncate(filler, (await stat(filler)).size - bytesLeft);
    },
    empty: () => rm(filler, { force: true }),
  };
}
