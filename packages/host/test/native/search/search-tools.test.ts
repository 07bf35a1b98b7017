/** Tests grep and glob with real files and threads. */
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { grepTool } from "#native/search/search-tools.js";
import { SearchThreads } from "#native/search/search-threads.js";
import { Policy } from "#policy/policy.js";
import { parseRules } from "@plugboard/config";
import type { RuleTexts } from "@plugboard/config";
import { WorkspaceFolder } from "#native/files/workspace-folder.js";
import { isText } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
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
    "stops a slow pattern and returns what was found, without blocking the event loop",
    { meta: { covers: ["A9"] } },
    async () => {
      const { folder } = await makeWorkspaceFiles({ a: "aaaaa\n", b: `${"a".repeat(60)}!\n` });
      const files = new WorkspaceFolder({ folder, stateFolder: undefined, configFiles: () => [], newId: () => "t" });
      const clock = new ManualClock();
      const threads = new SearchThreads({ clock, timeoutMs: 1500 });
      const grep = grepTool({ folder: files, threads, policy: () => new Policy([]) });
      const started = once(process, "worker") as Promise<[Worker]>;
      const running = grep.run({ pattern: "^(a+)+$" }, { caller: { kind: "chat", id: "c" } });
      const [thread] = await started;
      // The thread has found a line in the first file. It would never finish the second.
      await once(thread, "message");
      clock.advance(1499);
      expect(await Promise.race([running, setImmediate("still running")])).toBe("still running");
      clock.advance(1);
      const { content } = await running;
      expect(content.map((block) => (isText(block) ? block.text : ""))).toEqual([
        "a:1:aaaaa\n[The search stopped after 1500 ms. Use a simpler pattern or a smaller folder.]",
      ]);
    },
  );

  it("accepts many searches at the same time, and runs only a few in parallel", async () => {
    const { run } = await makeWorkspaceFiles({ a: "hit\n" });
    const results = await Promise.all(Array.from({ length: 12 }, () => run("grep", { pattern: "hit" })));
    expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["a:1:hit"]));
  });

  it("ends when the call is cancelled", async () => {
    const { run } = await makeWorkspaceFiles({ b: `${"a".repeat(60)}!\n` });
    const cancel = new AbortController();
    const started = once(process, "worker") as Promise<[Worker]>;
    const running = run("grep", { pattern: "^(a+)+$" }, cancel.signal);
    const [thread] = await started;
    await once(thread, "online");
    cancel.abort();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("glob", () => {
  it("lists files by pattern, and on request only below a folder, or with ignored files", async () => {
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

describe("a rule for read_file", { meta: { covers: ["A23"] } }, () => {
  const open = async (rules: RuleTexts) => {
    const files = { ".env": "KEY=1\n", "a.md": "KEY=2\n", "sub/.env": "KEY=3\n", "sub/b.md": "KEY=4\n" };
    const workspace = await makeWorkspaceFiles(files, { policy: new Policy(parseRules(rules)) });
    await symlink("sub", join(workspace.folder, "link"));
    const grep = async (args = {}) => (await workspace.run("grep", { pattern: "KEY", ...args })).text.split("\n");
    const glob = async (args = {}) => (await workspace.run("glob", { pattern: "**", ...args })).text.split("\n");
    return { ...workspace, grep, glob };
  };
  const all = [".env", "a.md", "sub/.env", "sub/b.md"];

  it.each([
    ["a path", "native:read_file(path=.env)", ["a.md", "sub/.env", "sub/b.md"]],
    ["a path with a dot", "native:read_file(path=./.env)", ["a.md", "sub/.env", "sub/b.md"]],
    ["a pattern", "native:read_file(path=*.env)", ["a.md", "sub/b.md"]],
    ["a folder", "native:read_*(path=sub/*)", [".env", "a.md"]],
    ["a folder to every tool", "*:*(path=sub/*)", [".env", "a.md"]],
    ["the whole tool", "native:read_file", []],
    ["files only to another tool", "native:write_file(path=*)", all],
  ])("lets grep and glob find only the files that it does not deny, if it denies %s", async (_, deny, left) => {
    const { grep, glob } = await open({ deny: [deny] });
    const texts = { ".env": "KEY=1", "a.md": "KEY=2", "sub/.env": "KEY=3", "sub/b.md": "KEY=4" };
    const found = left.map((path) => `${path}:1:${texts[path as keyof typeof texts]}`);
    expect(await grep()).toEqual(left.length === 0 ? ["[Nothing found.]"] : found);
    expect(await glob()).toEqual(left.length === 0 ? ["[Nothing found.]"] : left);
  });

  it("denies files by their absolute path, also a file that grep names as its path", async () => {
    const { grep, glob } = await open({ deny: ["native:read_file(path=*/work/sub/*)"] });
    expect(await glob({ path: "sub" })).toEqual(["[Nothing found.]"]);
    expect(await grep({ path: "sub/.env" })).toEqual(["[Nothing found.]"]);
  });

  it("denies files by a link, but only to a search through that link", async () => {
    const { grep, glob } = await open({ deny: ["native:read_file(path=link/*)"] });
    expect(await grep({ path: "link" })).toEqual(["[Nothing found.]"]);
    expect(await grep({ path: "link/.env" })).toEqual(["[Nothing found.]"]);
    expect(await glob({ path: "link" })).toEqual(["[Nothing found.]"]);
    expect(await glob({ path: "sub" })).toEqual(["sub/.env", "sub/b.md"]);
  });

  it("that asks keeps grep from reading the file, but glob lists it", async () => {
    const { grep, glob } = await open({
      ask: ["native:read_file(path=*.env)"],
      allow: ["native:read_file(path=sub/.env)"],
    });
    expect(await glob()).toEqual(all);
    expect(await grep()).toEqual([
      "a.md:1:KEY=2",
      "sub/.env:1:KEY=3",
      "sub/b.md:1:KEY=4",
      "[1 files were not searched, because read_file asks the user about them.]",
    ]);
  });
});
