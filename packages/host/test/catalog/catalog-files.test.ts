import { lstat, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CatalogFiles } from "#catalog/catalog-files.js";
import type { HostError } from "@plugboard/contracts";
import type { CatalogSnapshot } from "@plugboard/mcp";
import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";

const KEY = "0123456789abcdef".repeat(4);
const FILE = `${KEY}.json`;

let folder: string;
let failures: HostError[];
beforeEach(async () => {
  folder = await temporaryFolder();
  failures = [];
});

describe("CatalogFiles.catalog", () => {
  it("returns the catalog that an earlier host stored in a file that only the owner can read", async () => {
    const files = open();
    files.catalog(KEY).set(offering("read"));
    await files.flush();
    expect(open().catalog(KEY).get()).toEqual(offering("read"));
    expect((await stat(join(folder, "catalog", FILE))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "catalog"))).toEqual([FILE]);
    expect(open().catalog("f".repeat(64)).get()).toBeUndefined();
  });

  it("writes several changes at once after a delay, and returns the last change already before that", async () => {
    const clock = new ManualClock();
    const files = open({ clock });
    for (const name of ["a", "b", "c"]) files.catalog(KEY).set(offering(name));
    expect(files.catalog(KEY).get()).toEqual(offering("c"));
    expect(await readdir(folder)).toEqual([]);
    clock.advance(100);
    await files.flush();
    expect(clock.pendingTimers).toBe(0);
    expect(open().catalog(KEY).get()).toEqual(offering("c"));
  });

  it.each<[string, string]>([
    ["truncated", '{"version":1,"too'],
    ["empty", ""],
    ["of an unknown version", '{"version":9,"tools":[]}'],
  ])("returns undefined for a file that is %s, and overwrites it with the next catalog", async (_, text) => {
    await mkdir(join(folder, "catalog"));
    await writeFile(join(folder, "catalog", FILE), text);
    const files = open();
    expect(files.catalog(KEY).get()).toBeUndefined();
    files.catalog(KEY).set(offering("read"));
    await files.flush();
    expect(open().catalog(KEY).get()).toEqual(offering("read"));
    expect(failures).toEqual([]);
  });

  it("does not store a very large catalog, and deletes the outdated file", async () => {
    const files = open();
    files.catalog(KEY).set(offering("read"));
    await files.flush();
    files.catalog(KEY).set(offering("x".repeat(9_000_000)));
    await files.flush();
    expect(await readdir(join(folder, "catalog"))).toEqual([]);
    await writeFile(join(folder, "catalog", FILE), " ".repeat(9_000_000));
    expect(open().catalog(KEY).get()).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it("does not follow a symbolic link", async () => {
    await mkdir(join(folder, "catalog"));
    await writeFile(join(folder, "other"), '{"version":1,"tools":[]}');
    await symlink(join(folder, "other"), join(folder, "catalog", FILE));
    const files = open();
    expect(files.catalog(KEY).get()).toBeUndefined();
    expect(failures).toMatchObject([{ code: "STORE_UNREADABLE" }]);
    files.catalog(KEY).set(offering("read"));
    await files.flush();
    expect((await lstat(join(folder, "catalog", FILE))).isFile()).toBe(true);
    expect(await readFile(join(folder, "other"), "utf8")).toBe('{"version":1,"tools":[]}');
  });

  it("deletes the oldest catalogs beyond the limit, and stale temporary files", async () => {
    const files = open({ maxFiles: 3 });
    const catalogs = join(folder, "catalog");
    for (const [at, digit] of ["0", "1", "2", "3"].entries()) {
      files.catalog(digit.repeat(64)).set(offering(digit));
      await files.flush();
      await utimes(join(catalogs, `${digit.repeat(64)}.json`), at, at);
    }
    for (const name of [".old.new", ".young.new"]) await writeFile(join(catalogs, name), "");
    await utimes(join(catalogs, ".old.new"), 0, 0);
    files.catalog("4".repeat(64)).set(offering("4"));
    await files.flush();
    const left = await readdir(catalogs);
    expect(left.map((name) => name.slice(0, 6)).toSorted()).toEqual([".young", "222222", "333333", "444444"]);
  });

  it("accepts only a digest as the key", { meta: { covers: ["A10"] } }, () => {
    for (const key of ["../../x", "", "CON", "a\0", "a".repeat(5000)]) {
      expect(() => open().catalog(key)).toThrow("the key of a catalog must be a digest");
    }
  });
});

describe("CatalogFiles.era", () => {
  it("returns the era that was stored for the same URL", async () => {
    const files = open();
    files.era("https://example.com/mcp").set("modern");
    expect(files.era("https://example.com/mcp").get()).toBe("modern");
    await files.flush();
    expect(open().era("https://example.com/mcp").get()).toBe("modern");
    expect(open().era("https://example.com/").get()).toBeUndefined();
  });

  it("forgets the era when it is set to undefined", async () => {
    const files = open();
    files.era("x").set("modern");
    await files.flush();
    files.era("x").set(undefined);
    expect(files.era("x").get()).toBeUndefined();
    await files.flush();
    expect(open().era("x").get()).toBeUndefined();
  });

  it("remembers that a server asks questions, whatever happens to its era", { meta: { covers: ["F51"] } }, async () => {
    const files = open();
    files.era("x").set("legacy");
    expect(files.era("x").hasAskedWithoutCall?.()).toBe(false);
    files.era("x").rememberAskedWithoutCall?.();
    expect(files.era("x").get()).toBe("legacy");
    files.era("x").set(undefined);
    await files.flush();
    const later = open().era("x");
    expect([later.get(), later.hasAskedWithoutCall?.()]).toEqual([undefined, true]);
  });

  it("does not write an era that has not changed", async () => {
    const files = open();
    files.era("x").set("legacy");
    await files.flush();
    const [name] = await readdir(join(folder, "eras"));
    const { ino } = await stat(join(folder, "eras", name!));
    files.era("x").set("legacy");
    await files.flush();
    expect((await stat(join(folder, "eras", name!))).ino).toBe(ino);
  });

  it("returns undefined if the file is damaged", async () => {
    const files = open();
    files.era("x").set("legacy");
    await files.flush();
    const [name] = await readdir(join(folder, "eras"));
    for (const text of ["", "null", '{"version":1,"era":"old"}', '{"era":"legacy"}']) {
      await writeFile(join(folder, "eras", name!), text);
      expect(open().era("x").get()).toBeUndefined();
    }
  });
});

it(
  "CatalogFiles reports a failing disk once, throws nothing, and writes when the disk works again",
  { meta: { covers: ["F36"] } },
  async () => {
    // A file in place of the folder makes writing fail even for root.
    await writeFile(join(folder, "catalog"), "in the way");
    const files = open();
    const store = files.catalog(KEY);
    store.set(offering("a"));
    await files.flush();
    store.set(offering("b"));
    await files.flush();
    expect(failures).toMatchObject([{ code: "STORE_UNWRITABLE" }]);
    expect(store.get()).toEqual(offering("b"));
    await rm(join(folder, "catalog"));
    await files.flush();
    expect(open().catalog(KEY).get()).toEqual(offering("b"));
  },
);

function open(options: { clock?: ManualClock; maxFiles?: number } = {}): CatalogFiles {
  return new CatalogFiles(folder, { ...options, onFailed: (error) => failures.push(error) });
}

function offering(name: string): CatalogSnapshot {
  return { tools: { tools: [{ name, inputSchema: { type: "object" } }], dropped: [] } };
}
