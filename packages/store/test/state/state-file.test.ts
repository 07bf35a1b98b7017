import { execFileSync } from "node:child_process";
import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@plugboard/contracts";
import { StateFile } from "#state/state-file.js";
import type { StateSchema } from "#state/state-file.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

interface Words {
  readonly words: readonly string[];
}

const SCHEMA: StateSchema<Words> = {
  initial: { words: [] },
  parse: ({ words }) => (Array.isArray(words) ? { words: words.map(String) } : undefined),
};
const add =
  (word: string) =>
  ({ words }: Words): Words => ({ words: [...words, word] });

let folder: string;
let file: string;
let state: StateFile<Words>;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "words.json");
  state = new StateFile(file, SCHEMA);
});

describe("StateFile", () => {
  it("returns the initial value of a missing file and does not create the file", async () => {
    expect(await state.read()).toEqual({ words: [] });
    expect(await readdir(folder)).toEqual([]);
  });

  it("creates the file and its folder for the owner only, as indented JSON", async () => {
    const inner = join(folder, "a", "b");
    const state = new StateFile(join(inner, "words.json"), SCHEMA);
    await state.update(add("one"));
    expect(await readFile(state.file, "utf8")).toBe('{\n  "version": 1,\n  "words": [\n    "one"\n  ]\n}\n');
    expect((await stat(state.file)).mode & 0o777).toBe(0o600);
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    expect(await readdir(inner)).toEqual(["words.json"]);
  });

  it("makes a file private with the next update if others can read it", async () => {
    await writeFile(file, '{"version": 1, "words": []}', { mode: 0o644 });
    await state.update(add("one"));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("applies concurrent updates one after another, each to the current content", async () => {
    const other = new StateFile(file, SCHEMA);
    await Promise.all(Array.from({ length: 30 }, (_, at) => (at % 2 ? state : other).update(add(String(at)))));
    expect(new Set((await state.read()).words).size).toBe(30);
  });

  it("does not write if the update returns the same object", async () => {
    expect(await state.update((current) => current)).toBe(SCHEMA.initial);
    expect(await readdir(folder)).toEqual([]);
  });

  it("leaves the file unchanged if the update throws", async () => {
    await state.update(add("one"));
    const before = await readFile(file);
    const broken = state.update(() => {
      throw new RangeError("no");
    });
    await expect(broken).rejects.toThrow(RangeError);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["words.json"]);
  });

  it("removes the temporary file of a process that was killed while writing", async () => {
    await writeFile(join(folder, ".words.json.new"), "half");
    await state.update(add("one"));
    expect(await readdir(folder)).toEqual(["words.json"]);
  });
});

describe("StateFile with migrations", () => {
  const schema: StateSchema<Words> = {
    ...SCHEMA,
    migrations: [
      ({ word }: JsonObject) => ({ list: [word ?? null] }),
      ({ list }: JsonObject) => ({ words: list ?? null }),
    ],
  };

  it.each([
    [1, { word: "old" }],
    [2, { list: ["old"] }],
    [3, { words: ["old"] }],
  ])("reads version %i without writing, and the next update writes the newest version", async (version, data) => {
    const before = JSON.stringify({ version, ...data });
    await writeFile(file, before);
    const state = new StateFile(file, schema);
    expect(await state.read()).toEqual({ words: ["old"] });
    expect(await readFile(file, "utf8")).toBe(before);
    await state.update(add("new"));
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ version: 3, words: ["old", "new"] });
  });
});

describe("StateFile with an unreadable file", { meta: { covers: ["F38"] } }, () => {
  it.each([
    ["an empty file", "", /it is empty; restore it, or move it away/],
    ["a truncated file", '{"version": 1, "wo', /it is not JSON/],
    ["a file that contains a list", "[]", /it is not an object/],
    ["a file without a version", '{"words": []}', /it has no "version"/],
    ["a file with an invalid value", '{"version": 1, "words": 7}', /its content is not valid/],
    ["a binary file", Buffer.from('{"version": 1, "words": ["\xf6"]}', "latin1"), /it is not UTF-8/],
    [
      "a file of a newer version",
      '{"version": 2, "words": []}',
      /a newer version of Plugboard .* version 2.*; update Plugboard/,
    ],
  ])("throws STORE_UNREADABLE for %s, says what to do, and does not overwrite the file", async (_, content, reason) => {
    await writeFile(file, content);
    const expectedError = { code: "STORE_UNREADABLE", details: { file, reason: expect.stringMatching(reason) } };
    await expect(state.read()).rejects.toMatchObject(expectedError);
    await expect(state.update(add("one"))).rejects.toMatchObject(expectedError);
    expect(await readFile(file)).toEqual(Buffer.from(content));
    expect(await readdir(folder)).toEqual(["words.json"]);
  });

  it("throws STORE_UNREADABLE for a symbolic link and does not overwrite it", async () => {
    await writeFile(join(folder, "elsewhere"), '{"version": 1, "words": []}');
    await symlink(join(folder, "elsewhere"), file);
    await expect(state.update(add("one"))).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, "elsewhere"), "utf8")).toBe('{"version": 1, "words": []}');
  });

  it("throws STORE_UNREADABLE for a folder", async () => {
    await mkdir(file);
    await expect(state.read()).rejects.toMatchObject({ details: { reason: "it is not a file; move it away" } });
  });
});

describe("StateFile with a failing write", { meta: { covers: ["F36"] } }, () => {
  const big = "x".repeat(20_000);

  it("keeps the old file and leaves no temporary file if the file size limit is exceeded", async () => {
    await state.update(add("old"));
    const before = await readFile(file);
    const { output } = await runChild(change(big), "trap '' XFSZ; ulimit -f 8;");
    expect(output).toBe("STORE_UNWRITABLE: it would exceed the file size limit (EFBIG)");
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["words.json"]);
  });

  // Only root can mount a small disk. For other users, the test with a file size limit is similar.
  it.runIf(process.getuid?.() === 0).each([
    ["completely full", 0],
    ["full except for the space of the lock", 8192],
  ])("keeps the old file and leaves no temporary file if the disk is %s", async (_, free) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
    onTestFinished(() => void execFileSync("umount", [folder]));
    await state.update(add("old"));
    const before = await readFile(file);
    const filler = join(folder, "filler");
    await expect(writeFile(filler, "y".repeat(100_000))).rejects.toMatchObject({ code: "ENOSPC" });
    await truncate(filler, (await stat(filler)).size - free);
    await expect(state.update(add(big))).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      details: { file, reason: "the disk is full (ENOSPC)" },
      cause: { code: "ENOSPC" },
    });
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["filler", "words.json"]);
  });

  it("keeps the old file and leaves no temporary file if the folder is not writable", async () => {
    await state.update(add("old"));
    const before = await readFile(file);
    const root = process.getuid?.() === 0;
    if (root) for (const path of [folder, file]) await chown(path, 65534, 65534);
    await chmod(folder, 0o500);
    const dropPrivileges = root ? "process.setgroups([]); process.setgid(65534); process.setuid(65534);" : "";
    const { output } = await runChild(change("new", dropPrivileges));
    await chmod(folder, 0o700);
    expect(output).toBe("STORE_UNWRITABLE: you have no permission to write to its folder (EACCES)");
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["words.json"]);
  });

  function change(word: string, first = ""): string {
    return `
      import { StateFile } from "#state/state-file.js";
      const schema = { initial: { words: [] }, parse: (data) => data };
      ${first}
      const state = new StateFile(${JSON.stringify(file)}, schema);
      const update = state.update(({ words }) => ({ words: [...words, ${JSON.stringify(word)}] }));
      process.stdout.write(await update.then(() => "done", (error) => error.code + ": " + error.details.reason));`;
  }
});
