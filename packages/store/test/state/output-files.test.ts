import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { OutputFiles } from "#state/output-files.js";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../helpers/run-child.ts";

let folder: string;
let outputs: OutputFiles;
beforeEach(async () => {
  folder = await temporaryFolder();
  outputs = new OutputFiles(folder);
});

describe("OutputFiles", () => {
  it("stores a text under a random name, in a file that only the owner can read", async () => {
    const id = await outputs.save("text");
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(await outputs.save("text")).not.toBe(id);
    expect((await stat(fileOf(id))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "outputs"))).mode & 0o777).toBe(0o700);
    expect(await new OutputFiles(folder).read(id, { offset: 0, limit: 10 })).toEqual({
      text: "text",
      offset: 0,
      total: 4,
    });
  });

  it("reads pages from any offset", async () => {
    const text = "0123456789".repeat(900_000);
    const id = await outputs.save(text);
    expect(await outputs.read(id, { offset: 8_999_990, limit: 4 })).toEqual({
      text: "0123",
      offset: 8_999_990,
      next: 8_999_994,
      total: 9_000_000,
    });
    expect(await outputs.read(id, { offset: 8_999_994, limit: 100 })).toMatchObject({
      text: "456789",
      total: 9_000_000,
    });
    const { text: page, next } = await outputs.read(id, { offset: 0, limit: 5_000_000 });
    expect([page.length, next]).toEqual([1024 * 1024, 1024 * 1024]);
  });

  it.each([
    ["starts inside a pair", 1, 2, { text: "😀b", offset: 0, next: 3 }],
    ["ends inside a pair", 2, 2, { text: "b", offset: 2, next: 3 }],
    ["has a limit of one character and starts with a pair", 3, 1, { text: "😀", offset: 3 }],
    ["starts after the end", 99, 5, { text: "", offset: 5 }],
  ])("does not split a surrogate pair if a page %s", async (_, offset, limit, page) => {
    const id = await outputs.save("😀b😀");
    expect(await outputs.read(id, { offset, limit })).toEqual({ ...page, total: 5 });
  });

  it("returns the whole text from pages of any size", async () => {
    const texts = fc
      .array(fc.constantFrom("a", "ö", "😀", "\ud800", "\udc00", "\ufeff", "\n"))
      .map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), async (text, limit) => {
        const id = await outputs.save(text);
        let whole = "";
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page = await outputs.read(id, { offset, limit });
          expect(page.offset).toBe(offset);
          expect(
            page.text.slice(-1) + text.slice(offset + page.text.length, offset + page.text.length + 1),
          ).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
          whole += page.text;
          offset = page.next;
        }
        expect(whole).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  it("deletes expired texts, and the oldest texts if newer ones need space", async () => {
    const small = new OutputFiles(folder, { maxBytes: 3 * 4096 });
    const ids: string[] = [];
    for (let i = 4; i > 0; i--) {
      const id = await small.save("x");
      await utimes(fileOf(id), Date.now() / 1000 - i, Date.now() / 1000 - i);
      ids.push(id);
    }
    const page = { offset: 0, limit: 1 };
    await expect(small.read(ids[0]!, page)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await small.read(ids[1]!, page)).toMatchObject({ text: "x" });
    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
    await utimes(fileOf(ids[2]!), eightDaysAgo, eightDaysAgo);
    const last = await outputs.save("y");
    expect(await readdir(join(folder, "outputs"))).toEqual(
      [`${ids[1]}.txt`, `${ids[3]}.txt`, `${last}.txt`].toSorted(),
    );
  });

  it("deletes the oldest text if there are too many", async () => {
    const few = new OutputFiles(folder, { maxFiles: 2 });
    const ids: string[] = [];
    for (let age = 3; age > 0; age--) {
      const id = await few.save("x");
      await utimes(fileOf(id), Date.now() / 1000 - age, Date.now() / 1000 - age);
      ids.push(id);
    }
    expect((await readdir(join(folder, "outputs"))).toSorted()).toEqual([`${ids[1]}.txt`, `${ids[2]}.txt`].toSorted());
  });

  it("neither reads nor keeps a text that is over a week old", async () => {
    const id = await outputs.save("x");
    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
    await utimes(fileOf(id), eightDaysAgo, eightDaysAgo);
    await expect(outputs.read(id, { offset: 0, limit: 1 })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await readdir(join(folder, "outputs"))).toHaveLength(1);
    await outputs.deleteExpired();
    expect(await readdir(join(folder, "outputs"))).toEqual([]);
  });

  it("deletes nothing if nothing was ever stored", async () => {
    await expect(outputs.deleteExpired()).resolves.toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  it("rejects a text that exceeds the limit, and deletes no other text", async () => {
    const small = new OutputFiles(folder, { maxBytes: 3 * 4096 });
    const id = await small.save("x");
    await expect(small.save("x".repeat(10_000))).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await small.read(id, { offset: 0, limit: 1 })).toMatchObject({ text: "x" });
  });
});

describe("OutputFiles.read", () => {
  it.each(["../../../etc/passwd", "", "CON", "x\0", "A".repeat(32), "0".repeat(300), "0".repeat(32)])(
    "throws NOT_FOUND for the unknown or malformed id %j",
    { meta: { covers: ["A10"] } },
    async (id) => {
      await outputs.save("text");
      await expect(outputs.read(id, { offset: 0, limit: 1 })).rejects.toMatchObject({ code: "NOT_FOUND" });
    },
  );

  it.each([
    [-1, 1],
    [0, 0],
    [0.5, 1],
    [0, Number.NaN],
    [Number.POSITIVE_INFINITY, 1],
  ])("rejects the offset %d with the limit %d", async (offset, limit) => {
    const id = await outputs.save("text");
    await expect(outputs.read(id, { offset, limit })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });
});

function fileOf(id: string): string {
  return join(folder, "outputs", `${id}.txt`);
}
