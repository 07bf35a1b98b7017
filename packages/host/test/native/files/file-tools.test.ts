/** Tests read_file, write_file and edit_file with real files. */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeWorkspaceFiles } from "../../helpers/workspace-files.ts";

describe("read_file", { meta: { covers: ["R4.28"] } }, () => {
  it("returns a text file unchanged, by a relative or an absolute path", async () => {
    const { run, folder } = await makeWorkspaceFiles({ "src/a.ts": "one\n\ttwo\r\n" });
    expect(await run("read_file", { path: "src/a.ts" })).toEqual({ text: "one\n\ttwo\r\n", isError: false });
    expect((await run("read_file", { path: join(folder, "src", "a.ts") })).text).toBe("one\n\ttwo\r\n");
  });

  it("returns pages of lines, each with a note on how to read on", async () => {
    const lines = Array.from({ length: 4500 }, (_, index) => `line ${index + 1}`);
    const { run } = await makeWorkspaceFiles({ a: `${lines.join("\n")}\n` });
    const first = (await run("read_file", { path: "a" })).text;
    expect(first).toMatch(/^line 1\n.*\nline 2000\n\[Lines 1 to 2000 of 4500\. Read on with offset 2001\.\]$/s);
    const last = (await run("read_file", { path: "a", offset: 4499, limit: 10 })).text;
    expect(last).toBe("line 4499\nline 4500\n[Lines 4499 to 4500 of 4500.]");
    expect((await run("read_file", { path: "a", offset: 5000 })).text).toBe("[The file has 4500 lines.]");
  });

  it("cuts a page with long lines and a very long line", async () => {
    const { run } = await makeWorkspaceFiles({ a: `${"x".repeat(60_000)}\n`.repeat(4), b: "y".repeat(300_000) });
    expect((await run("read_file", { path: "a" })).text).toMatch(/\[Lines 1 to 1 of 4\. Read on with offset 2\.\]$/);
    const { text } = await run("read_file", { path: "b" });
    expect(text.length).toBeLessThan(101_000);
    expect(text).toMatch(/\[Line 1 of 1 has 300000 characters and was cut\.\]$/);
  });

  it("says why a file can't be read", async () => {
    const { run, write } = await makeWorkspaceFiles({ "a/b": "", zero: new Uint8Array([65, 0, 66]) });
    await write("latin1", Buffer.from("caf\xe9", "latin1"));
    await write("big", Buffer.alloc(10 * 1024 * 1024 + 1, 65));
    const problemOf = async (path: string) => {
      const { text, isError } = await run("read_file", { path });
      return isError ? text : `no error: ${text}`;
    };
    expect(await problemOf("missing")).toBe('"missing" does not exist.');
    expect(await problemOf("a")).toBe('"a" is a folder. Use glob to list its files.');
    expect(await problemOf(".")).toBe('"." is a folder. Use glob to list its files.');
    expect(await problemOf("a/b/c")).toBe('"a/b/c" is below a file, not below a folder.');
    expect(await problemOf("zero")).toBe('"zero" is a binary file with 3 bytes.');
    expect(await problemOf("latin1")).toBe('"latin1" is a binary file with 4 bytes.');
    expect(await problemOf("big")).toBe('"big" can\'t be read: it is larger than 10485760 bytes.');
    expect((await run("read_file", { path: "a/b" })).text).toBe("[The file is empty.]");
  });
});

describe("write_file", { meta: { covers: ["R4.29"] } }, () => {
  it("creates a file with its folders, and leaves no other file", async () => {
    const { run, folder } = await makeWorkspaceFiles();
    expect((await run("write_file", { path: "x/y/z.txt", content: "a\nb\n" })).text).toBe(
      'Created "x/y/z.txt" (2 lines).',
    );
    expect(await readFile(join(folder, "x/y/z.txt"), "utf8")).toBe("a\nb\n");
    expect(await readdir(join(folder, "x/y"))).toEqual(["z.txt"]);
  });

  it("replaces a file and keeps its mode", async () => {
    const { run, write } = await makeWorkspaceFiles();
    const file = await write("run.sh", "old");
    await chmod(file, 0o750);
    expect((await run("write_file", { path: "run.sh", content: "new" })).text).toBe('Replaced "run.sh" (1 lines).');
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).mode & 0o777).toBe(0o750);
  });

  it("refuses to replace a folder", async () => {
    const { run, folder } = await makeWorkspaceFiles();
    await mkdir(join(folder, "d"));
    expect(await run("write_file", { path: "d", content: "" })).toMatchObject({ isError: true });
  });

  it("shows a new file, a diff or a replaced binary file in its question", async () => {
    const { preview } = await makeWorkspaceFiles({ a: "one\ntwo\n", b: new Uint8Array([0]) });
    expect(await preview("write_file", { path: "n", content: "x\n" })).toBe("New file n:\n@@ -0,0 +1,1 @@\n+x");
    expect(await preview("write_file", { path: "a", content: "one\n2\n" })).toBe("a:\n@@ -1,2 +1,2 @@\n one\n-two\n+2");
    expect(await preview("write_file", { path: "b", content: "x" })).toBe(
      "Replaces the binary file b (1 bytes) with:\nx",
    );
    expect(await preview("write_file", { path: "a", content: "one\ntwo\n" })).toBe("a:\n[no change]");
  });
});

describe("edit_file", () => {
  it("replaces text that occurs once, and keeps the byte order mark, CRLF and the mode", async () => {
    const { run, write } = await makeWorkspaceFiles();
    const file = await write("a.cs", "\uFEFFone\r\ntwo\r\nthree\r\n");
    await chmod(file, 0o640);
    const edited = await run("edit_file", { path: "a.cs", old_text: "one\ntwo", new_text: "1\n2" });
    expect(edited).toEqual({ text: 'Replaced 1 occurrence in "a.cs".', isError: false });
    expect(await readFile(file, "utf8")).toBe("\uFEFF1\r\n2\r\nthree\r\n");
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it("refuses text that occurs never or more than once, unless replace_all is set", async () => {
    const { run, folder } = await makeWorkspaceFiles({ a: "x x\n" });
    const edit = (args: object) => run("edit_file", { path: "a", old_text: "x", new_text: "y", ...args });
    expect((await edit({ old_text: "z" })).text).toMatch(/^old_text does not occur in "a"\./);
    expect((await edit({})).text).toMatch(/^old_text occurs 2 times in "a"\..*replace_all/);
    expect((await edit({ new_text: "x", replace_all: true })).text).toMatch(/nothing would change/);
    expect(await readFile(join(folder, "a"), "utf8")).toBe("x x\n");
    expect((await edit({ replace_all: true })).text).toBe('Replaced 2 occurrences in "a".');
    expect(await readFile(join(folder, "a"), "utf8")).toBe("y y\n");
  });

  it("shows a diff in its question, and rejects an impossible edit before the question", async () => {
    const { preview } = await makeWorkspaceFiles({ a: "one\ntwo\n" });
    expect(await preview("edit_file", { path: "a", old_text: "two", new_text: "2" })).toBe(
      "a:\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    );
    await expect(preview("edit_file", { path: "a", old_text: "zz", new_text: "" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
      details: { tool: "native:edit_file" },
    });
  });

  it("loses no edit if many edits of one file run at the same time", async () => {
    const words = Array.from({ length: 20 }, (_, index) => `word${index}_`);
    const { run, folder } = await makeWorkspaceFiles({ a: words.join("\n") });
    const edits = words.map((word) => run("edit_file", { path: "a", old_text: word, new_text: `${word}!` }));
    for (const { isError } of await Promise.all(edits)) expect(isError).toBe(false);
    expect(await readFile(join(folder, "a"), "utf8")).toBe(words.map((word) => `${word}!`).join("\n"));
  });
});

it("write_file and edit_file refuse to change Plugboard's config files", { meta: { covers: ["A3"] } }, async () => {
  const { run, folder, preview } = await makeWorkspaceFiles({ "user-config.json": "{}", ".mcp.json": "{}" });
  for (const path of ["user-config.json", "USER-config.json", ".mcp.json", "sub/.mcp.json", ".plugboard/config.json"]) {
    const { isError, text } = await run("write_file", { path, content: "{}" });
    expect([path, isError, text]).toEqual([path, true, `"${path}" configures Plugboard. Only the user can change it.`]);
    await expect(preview("write_file", { path, content: "" })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  }
  await writeFile(join(folder, "plain.json"), "{}");
  expect((await run("edit_file", { path: "plain.json", old_text: "{", new_text: "{ " })).isError).toBe(false);
});

describe("a file behind a link", () => {
  it("is shown with its real path in the question", async () => {
    const { folder, preview } = await makeWorkspaceFiles({ "src/a.txt": "one\n", "docs/b.txt": "" });
    await symlink("../src/a.txt", join(folder, "docs/link.txt"));
    await symlink("../src/new.txt", join(folder, "docs/dangling.txt"));
    const edit = { path: "docs/link.txt", old_text: "one", new_text: "two" };
    expect(await preview("edit_file", edit)).toMatch(/^docs\/link\.txt → src\/a\.txt:\n/);
    const write = (path: string) => preview("write_file", { path, content: "two\n" });
    expect(await write("docs/link.txt")).toMatch(/^docs\/link\.txt → src\/a\.txt:\n/);
    expect(await write("docs/dangling.txt")).toMatch(/^New file docs\/dangling\.txt → src\/new\.txt:\n/);
    expect(await write("./docs/b.txt")).toMatch(/^\.\/docs\/b\.txt:\n/);
    expect(await write(join(folder, "docs/b.txt"))).not.toContain("→");
  });
});

describe("the files of Git", () => {
  it.each([".git/config", ".git/hooks/new", "sub/.git", "sub/.GIT/config", "link.md", "folder-link/config"])(
    "are not changed: %s",
    async (path) => {
      const { run, preview, folder } = await makeWorkspaceFiles({ ".git/config": "[core]", "sub/a": "" });
      await symlink(".git/hooks/pre-commit", join(folder, "link.md"));
      await symlink(".git", join(folder, "folder-link"));
      const write = { path, content: "x" };
      expect(await run("write_file", write)).toEqual({
        isError: true,
        text: expect.stringContaining("belongs to Git"),
      });
      await expect(preview("write_file", write)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
      const edit = { path, old_text: "core", new_text: "x" };
      expect(await run("edit_file", edit)).toEqual({ isError: true, text: expect.stringContaining("belongs to Git") });
      expect(await readFile(join(folder, ".git/config"), "utf8")).toBe("[core]");
    },
  );

  it("can be read, and files with similar names can be changed", async () => {
    const { run } = await makeWorkspaceFiles({ ".git/config": "[core]" });
    expect((await run("read_file", { path: ".git/config" })).text).toBe("[core]");
    for (const path of [".gitignore", ".github/a.yml"]) {
      expect((await run("write_file", { path, content: "x" })).isError).toBe(false);
    }
  });
});
