/** Compares the ignore rules with those of git itself. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { IgnoreRules } from "#native/search/ignore-rules.js";
import { describe, expect, it } from "vitest";
import { makeWorkspaceFiles } from "../../helpers/workspace-files.ts";

const FILES = [
  "a.log",
  "keep.log",
  "build/x.js",
  "src/build/y.js",
  "src/a.tmp",
  "src/deep/a.tmp",
  "docs/one.md",
  "docs/sub/two.md",
  "root-only.txt",
  "sub/root-only.txt",
  "sub/.gitignore",
  "sub/local.txt",
  "sub/deep/local.txt",
  "space name.txt",
  "#hash",
  "!bang",
  "x[1].txt",
  "temp/foo/bar.txt",
  "temp/a/foo/bar.txt",
  "vendor/lib/z.c",
];

const IGNORE = [
  "# a comment",
  "*.log",
  "!keep.log",
  "build/",
  "/root-only.txt",
  "src/**/*.tmp",
  "docs/*.md",
  "space name.txt   ",
  "\\#hash",
  "\\!bang",
  "x\\[1].txt",
  "temp/**/foo",
  "vendor/*",
  "",
].join("\r\n");

describe("IgnoreRules", () => {
  it("ignores the files that git ignores", async () => {
    const { folder, run } = await makeWorkspaceFiles();
    for (const path of FILES) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), "");
    }
    // Git does not strip carriage returns.
    await writeFile(join(folder, ".gitignore"), IGNORE.replaceAll("\r", ""));
    await writeFile(join(folder, "sub", ".gitignore"), "/local.txt\n");
    const git = (...args: string[]) => execFileSync("git", ["-c", "core.excludesFile=", ...args], { cwd: folder });
    git("init", "-q");
    const listed = git("ls-files", "-z", "--others", "--exclude-standard").toString("utf8").split("\0").filter(Boolean);
    const { text } = await run("glob", { pattern: "**" });
    expect(text.split("\n").toSorted()).toEqual(listed.toSorted());
  });

  it("ignores node_modules, and applies nested rules before outer ones", () => {
    const rules = IgnoreRules.defaults.below("*.txt\r\n", 0).below("!a.txt", 1);
    expect(rules.ignores(["node_modules"], true)).toBe(true);
    expect(rules.ignores(["sub", "b.txt"], false)).toBe(true);
    expect(rules.ignores(["sub", "a.txt"], false)).toBe(false);
  });
});
