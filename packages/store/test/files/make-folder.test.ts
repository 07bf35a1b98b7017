import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "#files/make-folder.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const meta = { covers: ["F45"] };
const isRoot = process.getuid?.() === 0 && process.platform === "linux";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-folder-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("makeFolder", () => {
  it("creates the folder and its missing parents for the owner only", async () => {
    await makeFolder(join(folder, "a", "b", "c"));
    const modes = await Promise.all(["a", "a/b", "a/b/c"].map(async (name) => (await stat(join(folder, name))).mode));
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  });

  it("accepts an existing folder, even if several callers create it at once", async () => {
    const made = Array.from({ length: 20 }, () => makeFolder(join(folder, "a", "b")));
    expect(await Promise.all(made)).toHaveLength(20);
  });

  it("fails if the path or its parent is a file", async () => {
    await writeFile(join(folder, "a"), "");
    await expect(makeFolder(join(folder, "a"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(join(folder, "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.runIf(process.platform === "linux")("fails under /proc instead of hanging", { meta }, async () => {
    await expect(makeFolder("/proc/none/x")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.runIf(isRoot)("fails with EROFS on a read-only file system", { meta }, async () => {
    const disk = join(folder, "disk");
    await makeFolder(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", disk]).status).toBe(0);
    try {
      await expect(makeFolder(join(disk, "plugboard"))).rejects.toMatchObject({ code: "EROFS" });
    } finally {
      spawnSync("umount", [disk]);
    }
  });
});
