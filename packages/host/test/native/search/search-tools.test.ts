/** Tests grep and glob with real files and threads. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grepTool } from "#native/search/search-tools.js";
import { SearchThreads } from "#native/search/search-threads.js";
import { WorkspaceFolder } from "#native/files/workspace-folder.js";
import { isText } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp/clock";
import { describe, expect, it } from "vitest";
import { makeWorkspaceFiles } from "../../helpers/workspace-files.ts";

describe("grep", { meta: { covers: ["R4.30"] } }, () => {
  it("returns the matching lines with path and line number, in the order of the paths", async () => {
    const { run } = await makeWorkspaceFiles({ "b/x.ts": "foo\nbar foo\r\n", "a.ts": "Foo\nfood\n", "c.md": "foo" });
    expect((await run("grep", { pattern: "fo+\\b" })).text).toBe("b/x.ts:1:foo\nb/x.ts:2:bar foo\nc.md:1:foo");
    expect((await run("grep", { pattern: "^foo$", ignore_case: true, include: "*.ts" })).text).toBe(
      "a.ts:1:Foo\nb/x.ts:1:foo",
    );
    expect((await run("grep", { pattern: "foo", path: "b" })).text).toBe("b/x.ts:1:foo\nb/x.ts:2:bar foo");
    expect((await run("grep", { pattern: "food", path: "a.ts" })).text).toBe("a.ts:2:food");
    expect((await run("grep", { pattern: "nowhere" })).text).toBe("[Nothing found.]");
  });

  it("searches for plain text, and shows the lines around a match", async () => {
    const { run } = await makeWorkspaceFiles({ a: "1\n2\nx.*(\n4\n5\n" });
    expect((await run("grep", { pattern: "x.*(", literal: true, context: 1 })).text).toBe("a-2-2\na:3:x.*(\na-4-4");
  });

  it("leaves out binary files, node_modules, .git and ignored files", async () => {
    const { run } = await makeWorkspaceFiles({
      a: "hit",
      bin: new Uint8Array([104, 105, 116, 0]),
      "node_modules/m/index.js": "hit",
      ".git/config": "hit",
      ".gitignore": "*.gen\n",
      "x.gen": "hit",
    });
    expect((await run("grep", { pattern: "hit" })).text).toBe("a:1:hit");
    expect((await run("grep", { pattern: "hit", include_ignored: true })).text).toBe(
      "a:1:hit\nnode_modules/m/index.js:1:hit\nx.gen:1:hit",
    );
    expect((await run("grep", { pattern: "hit", path: "node_modules" })).text).toBe("node_modules/m/index.js:1:hit");
  });

  it("limits matches and long lines, with notes", async () => {
    const { run } = await makeWorkspaceFiles({ a: "x\n".repeat(2000), "b/long": `${"y".repeat(10_000)}\n` });
    const many = (await run("grep", { pattern: "x" })).text.split("\n");
    expect(many).toHaveLength(501);
    expect(many.at(-1)).toBe("[Only the first 500 matches are listed.]");
    expect((await run("grep", { pattern: "y" })).text).toMatch(/^b\/long:1:y{400}… \(10000 characters\)$/);
  });

  it("says that a pattern is not a regular expression", async () => {
    const { run } = await makeWorkspaceFiles();
    const { text, isError } = await run("grep", { pattern: "(" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^The pattern is not a valid regular expression: /);
  });

  it(
    "ends a slow pattern and keeps what was found, while the event loop stays free",
    { meta: { covers: ["A9"] } },
    async () => {
      const { folder } = await makeWorkspaceFiles({ a: "aaaaa\n", b: `${"a".repeat(60)}!\n` });
      const files = new WorkspaceFolder({ folder, stateFolder: undefined, configFiles: () => [], newId: () => "t" });
      const grep = grepTool({ folder: files, threads: new SearchThreads({ clock: systemClock, timeoutMs: 1500 }) });
      let [longest, last] = [0, performance.now()];
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 10);
      const { content } = await grep.run({ pattern: "^(a+)+$" }, { caller: { kind: "chat", id: "c" } });
      clearInterval(timer);
      expect(content.map((block) => (isText(block) ? block.text : ""))).toEqual([
        "a:1:aaaaa\n[The search stopped after 1500 ms. Use a simpler pattern or a smaller folder.]",
      ]);
      expect(longest).toBeLessThan(1000);
    },
  );

  it("runs many searches at the same time, a few of them in parallel", async () => {
    const { run } = await makeWorkspaceFiles({ a: "hit\n" });
    const results = await Promise.all(Array.from({ length: 12 }, () => run("grep", { pattern: "hit" })));
    expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["a:1:hit"]));
  });

  it("ends when the call is cancelled", async () => {
    const { run } = await makeWorkspaceFiles({ b: `${"a".repeat(60)}!\n` });
    const cancel = new AbortController();
    const running = run("grep", { pattern: "^(a+)+$" }, cancel.signal);
    setTimeout(() => cancel.abort(), 100);
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("glob", () => {
  it("lists files by pattern, below a folder and with ignored files on request", async () => {
    const { run } = await makeWorkspaceFiles({
      "a.ts": "",
      "src/b.ts": "",
      "src/sub/c.ts": "",
      "src/d.js": "",
      "dist/e.ts": "",
      ".gitignore": "dist\n",
    });
    expect((await run("glob", { pattern: "*.ts" })).text).toBe("a.ts\nsrc/b.ts\nsrc/sub/c.ts");
    expect((await run("glob", { pattern: "*/c.ts", path: "src" })).text).toBe("src/sub/c.ts");
    expect((await run("glob", { pattern: "dist/*", include_ignored: true })).text).toBe("dist/e.ts");
    expect((await run("glob", { pattern: "*", path: "a.ts" })).isError).toBe(true);
    expect((await run("glob", { pattern: "*", path: "missing" })).text).toBe('"missing" does not exist.');
  });

  it("lists at most 1000 files, within seconds in a large tree", async () => {
    const { folder, run } = await makeWorkspaceFiles();
    for (let index = 0; index < 40; index++) {
      const sub = join(folder, `folder${index}`);
      await mkdir(sub);
      await Promise.all(Array.from({ length: 100 }, (_, file) => writeFile(join(sub, `f${file}.txt`), "")));
    }
    const lines = (await run("glob", { pattern: "**/*.txt" })).text.split("\n");
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toBe("[Only the first 1000 files are listed.]");
  });
});
