/** Tests how JSON lines are appended to a file that a crash or another process may have changed. */
import { appendFile, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonLinesFile } from "#files/json-lines-file.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { makePipe } from "../helpers/make-pipe.ts";

async function makeFile() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-lines-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return new JsonLinesFile(join(folder, "a", "x.jsonl"));
}

describe("JsonLinesFile", () => {
  it("appends lines that another process can read, in a file that only the user can read", async () => {
    const file = await makeFile();
    expect(await file.read()).toBeUndefined();
    expect(await file.append([{ n: 0 }])).toBe(false);
    await file.replace([{ n: 1 }]);
    expect(await file.append([{ n: 2 }, { text: "a\nb é" }])).toBe(true);
    expect(await file.append([{ n: 3 }])).toBe(true);
    expect(await new JsonLinesFile(file.file).read()).toEqual([{ n: 1 }, { n: 2 }, { text: "a\nb é" }, { n: 3 }]);
    expect((await stat(file.file)).mode & 0o777).toBe(0o600);
  });

  it("ignores a line that a crash has cut off, and does not append to it", async () => {
    const file = await makeFile();
    await file.replace([{ n: 1 }, { text: "é".repeat(10) }]);
    await truncate(file.file, (await stat(file.file)).size - 8);
    const next = new JsonLinesFile(file.file);
    expect(await next.read()).toEqual([{ n: 1 }]);
    expect(await next.append([{ n: 2 }])).toBe(false);
    await next.replace([{ n: 1 }, { n: 2 }]);
    expect(await next.append([{ n: 3 }])).toBe(true);
    expect(await next.read()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it.skipIf(process.platform === "win32")("refuses a pipe in the place of the file, and does not block", async () => {
    const file = await makeFile();
    await file.replace([{ n: 1 }]);
    await rm(file.file);
    makePipe(file.file);
    const reason = "it is not a regular file";
    await expect(file.read()).rejects.toMatchObject({ code: "STORE_UNREADABLE", details: { reason } });
    await expect(file.append([{ n: 2 }])).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });

  it("does not append if another process has changed or removed the file", async () => {
    const file = await makeFile();
    await file.replace([{ n: 1 }]);
    await appendFile(file.file, '{"n":2}\n');
    expect(await file.append([{ n: 3 }])).toBe(false);
    await rm(file.file);
    expect(await file.append([{ n: 3 }])).toBe(false);
  });

  it.each([
    ["another version", '{"version":2}\n{"n":1}\n'],
    ["a line that is not JSON", '{"version":1}\n{"n":\n{"n":1}\n'],
    ["a line that is not an object", '{"version":1}\n7\n'],
    ["nothing", ""],
  ])("throws STORE_UNREADABLE for a file with %s, and keeps it", async (_, text) => {
    const file = await makeFile();
    await file.replace([]);
    await writeFile(file.file, text);
    await expect(file.read()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect(await readFile(file.file, "utf8")).toBe(text);
  });

  it("does not follow a symbolic link", async () => {
    const file = await makeFile();
    await file.replace([{ n: 1 }]);
    const other = `${file.file}.other`;
    await writeFile(other, '{"version":1}\n');
    await rm(file.file);
    await symlink(other, file.file);
    await expect(file.read()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    await expect(file.append([{ n: 2 }])).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await readFile(other, "utf8")).toBe('{"version":1}\n');
  });
});
