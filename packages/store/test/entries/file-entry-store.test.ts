/** Tests FileEntryStore where memory differs: several processes, crashes, full disks, damaged files, file format. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileEntryStore } from "#entries/file-entry-store.js";
import type { EntryEvent } from "#entries/entry-store.js";
import { KindFolder } from "#entries/kind-folder.js";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { canMount, mountSmallDisk } from "../../../host/test/helpers/small-disk.ts";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

let root: string;
let store: FileEntryStore;
beforeEach(async () => {
  root = join(await temporaryFolder(), "entries");
  store = new FileEntryStore(root);
});

const inChild = (program: string) =>
  runChild(`
    import { FileEntryStore } from "#entries/file-entry-store.js";
    const store = new FileEntryStore(${JSON.stringify(root)});
    ${program}`);

/** Starts a program in a child process, and returns the process after the program has printed a line. */
async function startChild(program: string) {
  const setup = `import { FileEntryStore } from "#entries/file-entry-store.js";
    const store = new FileEntryStore(${JSON.stringify(root)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${setup}\n${program}`], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function kill(child: Awaited<ReturnType<typeof startChild>>): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const nameOf = (key: string) => new KindFolder(root, "k").nameOf(key);
const onlyFile = async () => join(root, "k", (await readdir(join(root, "k")))[0]!);

describe("the files of FileEntryStore", () => {
  it("are plain JSON that only the owner can read, one for each entry", async () => {
    await store.put("k", "../é", { n: 1 }, { expiresAt: 9e12 });
    const file = await onlyFile();
    const { version } = (await store.get("k", "../é"))!;
    expect(await readFile(file, "utf8")).toBe(
      `${JSON.stringify({ version: 1, key: "../é", revision: version, expires_at: 9e12, value: { n: 1 } }, undefined, 2)}\n`,
    );
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect([await modeOf(file), await modeOf(join(root, "k")), await modeOf(root)]).toEqual([0o600, 0o700, 0o700]);
    expect(await readdir(root)).toEqual(["k"]);
  });

  it("are not created by reading or removing", async () => {
    await store.get("k", "a");
    await store.list("k");
    await store.remove("k", "a");
    await expect(readdir(root)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each([
    ["empty", "", "it is empty"],
    ["cut off", '{"version": 1, "key": "a", "val', "not JSON"],
    ["without a value", '{"version": 1, "key": "a", "revision": "x"}', "not valid"],
    ["of another key", '{"version": 1, "key": "b", "revision": "x", "value": {}}', "name of another entry"],
    ["of a newer version", '{"version": 2, "key": "a", "revision": "x", "value": {}}', "newer version"],
  ])("are left unchanged, and reading and writing the entry fails, if one is %s", async (_, content, reason) => {
    await store.put("k", "a", {});
    const file = await onlyFile();
    await writeFile(file, content);
    const unreadable = {
      code: "STORE_UNREADABLE",
      details: { file, reason: expect.stringContaining(reason) as string },
    };
    const clock = new ManualClock();
    const later = new FileEntryStore(root, { clock });
    const uses: (() => Promise<unknown>)[] = [
      () => later.get("k", "a"),
      () => later.list("k"),
      () => later.put("k", "a", { over: true }),
      () => later.remove("k", "a"),
      () => later.once("k", "a", 5000),
      () => later.lease("k", "a", 5000),
    ];
    for (const use of uses) await expect(use()).rejects.toMatchObject(unreadable);
    // Other entries can be used, and the cleanup leaves the file alone.
    await later.put("k", "other", { n: 1 });
    clock.advance(120_000);
    await later.put("k", "other", { n: 2 });
    expect(await readFile(file, "utf8")).toBe(content);
  });

  it("are refused if one is a symbolic link, whose target stays unchanged", async () => {
    await store.put("k", "a", {});
    const file = await onlyFile();
    await rm(file);
    const target = join(root, "target");
    await writeFile(target, "secret");
    await symlink(target, file);
    await expect(store.put("k", "a", { over: true })).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect(await readFile(target, "utf8")).toBe("secret");
  });
});

describe("FileEntryStore with a holder whose share is used up", () => {
  it("refuses a new entry without reading the others again, until they expire", async () => {
    const clock = new ManualClock();
    const held = new FileEntryStore(root, { clock, limits: { maxPerHolder: 3 } });
    for (const key of ["a", "b", "c"]) await held.once("k", key, 90_000, "ann");
    const read = vi.spyOn(KindFolder.prototype, "read");
    const refuse = (key: string) =>
      expect(held.once("k", key, 90_000, "ann")).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    await refuse("d");
    // Also when the expired entries are removed.
    clock.advance(60_000);
    await refuse("d");
    // The file of the new entry itself is looked for.
    expect(read.mock.calls).toEqual([[nameOf("d")], [nameOf("d")]]);
    clock.advance(30_000);
    expect(await held.once("k", "d", 200_000, "ann")).toBe(true);
    expect(await readdir(join(root, "k"))).toEqual([nameOf("d")]);
  });

  it("keeps an entry that another process has written again after it expired", async () => {
    const clock = new ManualClock();
    const [held, other] = [new FileEntryStore(root, { clock }), new FileEntryStore(root, { clock })];
    await held.once("k", "a", 100, "ann");
    clock.advance(100);
    await other.once("k", "a", 200_000, "bob");
    clock.advance(60_000);
    await held.once("k", "b", 200_000, "ann");
    expect(await held.once("k", "a", 200_000, "ann")).toBe(false);
  });
});

describe("FileEntryStore in several processes", () => {
  it("loses no change if two processes write at the same time", { meta: { covers: ["F37"] } }, async () => {
    await store.put("k", "count", { n: 0 });
    const add = `
      for (let left = 20; left > 0;) {
        const { value, version } = await store.get("k", "count");
        const put = await store.put("k", "count", { n: value.n + 1 }, { ifVersion: version });
        if (put.written) left -= 1;
      }`;
    const children = await Promise.all([inChild(add), inChild(add)]);
    expect(children).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect((await store.get("k", "count"))?.value).toEqual({ n: 40 });
  });

  it("returns true from `once` to only one process", async () => {
    const expiresAt = Date.now() + 600_000;
    const tryAll = `
      let count = 0;
      for (let at = 0; at < 20; at++) if (await store.once("k", "id " + at, ${expiresAt})) count += 1;
      console.log(count);`;
    const children = await Promise.all([inChild(tryAll), inChild(tryAll), inChild(tryAll)]);
    const counts = children.map(({ output }) => Number(output));
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    expect(await store.once("k", "id 7", expiresAt)).toBe(false);
  });

  it("reports the changes of other processes", async () => {
    const events: EntryEvent[] = [];
    onTestFinished(await store.events("k", (event) => events.push(event)));
    await inChild(`await store.put("k", "a", { n: 1 });`);
    await vi.waitFor(() => expect(events).toMatchObject([{ type: "put", key: "a" }]), 10_000);
    await inChild(`await store.remove("k", "a");`);
    await vi.waitFor(() => expect(events).toMatchObject([{}, { type: "removed", key: "a" }]), 10_000);
  });
});

describe("FileEntryStore after kill -9", { meta: { covers: ["F40"] } }, () => {
  it("has a whole value, and the next writer need not wait", async () => {
    await store.put("k", "a", { text: "old" });
    for (let round = 0; round < 5; round++) {
      const child = await startChild(`
        console.log("ready");
        for (let n = 0; ; n++) await store.put("k", "a", { n, text: "x".repeat(50_000) });`);
      await vi.waitFor(async () => expect((await store.get("k", "a"))?.value["n"]).toBeGreaterThan(round), 10_000);
      await kill(child);
      const { value } = (await store.get("k", "a"))!;
      expect(value["text"]).toBe("x".repeat(50_000));
      expect(await store.put("k", "a", { n: -1 })).toMatchObject({ written: true });
    }
    // A new store removes the temporary files of the killed processes.
    await new FileEntryStore(root).put("k", "a", { text: "new" });
    expect(await readdir(join(root, "k"))).toHaveLength(1);
  });

  it("removes the temporary file of a writer that was killed", async () => {
    await store.put("k", "a", {});
    const left = join(root, "k", `.${"0".repeat(64)}.json.new`);
    await writeFile(left, "half");
    await new FileEntryStore(root).put("k", "b", {});
    expect(await readdir(join(root, "k"))).toHaveLength(2);
  });

  it("gives the lease of the killed holder to the next process at once", async () => {
    const child = await startChild(`
      await store.lease("k", "a", 600_000);
      console.log("held");
      setInterval(() => {}, 1000);`);
    expect(await store.lease("k", "a", 600_000)).toBeUndefined();
    await kill(child);
    const lease = await store.lease("k", "a", 600_000);
    expect(lease).toBeDefined();
    await lease!.release();
  });

  it("still returns false from `once` for a key that the killed process has used", async () => {
    const expiresAt = Date.now() + 600_000;
    const child = await startChild(
      `console.log(await store.once("k", "a", ${expiresAt})); setInterval(() => {}, 1000);`,
    );
    await kill(child);
    expect(await store.once("k", "a", expiresAt)).toBe(false);
  });
});

describe.runIf(canMount)("FileEntryStore on a full disk", { meta: { covers: ["F45", "F36"] } }, () => {
  it("keeps its entries, reports the failure, and writes again when there is space", async () => {
    const disk = await mountSmallDisk();
    const full = new FileEntryStore(join(disk.folder, "entries"));
    await full.put("k", "a", { n: 1 });
    await disk.fill();
    const failure = { code: "STORE_UNWRITABLE", details: { reason: expect.stringContaining("full") as string } };
    await expect(full.put("k", "a", { n: 2 })).rejects.toMatchObject(failure);
    await expect(full.once("k", "b", Date.now() + 60_000)).rejects.toMatchObject(failure);
    expect((await full.get("k", "a"))?.value).toEqual({ n: 1 });
    expect(await full.get("k", "b")).toBeUndefined();
    await disk.empty();
    expect(await full.once("k", "b", Date.now() + 60_000)).toBe(true);
    expect(await full.put("k", "a", { n: 2 })).toMatchObject({ written: true });
    expect(await readdir(join(disk.folder, "entries", "k"))).toHaveLength(2);
  });

  it("rejects a value that does not fit, keeps the old value, and leaves no partial file", async () => {
    const disk = await mountSmallDisk();
    const full = new FileEntryStore(join(disk.folder, "entries"));
    await full.put("k", "a", { n: 1 });
    await disk.fill(16 * 1024);
    await expect(full.put("k", "a", { text: "x".repeat(40_000) })).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect((await full.get("k", "a"))?.value).toEqual({ n: 1 });
    expect(await readdir(join(disk.folder, "entries", "k"))).toHaveLength(1);
  });
});
