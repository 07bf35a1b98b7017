import { parsePathGlob } from "#native/search/path-glob.js";
import { describe, expect, it } from "vitest";

const matches = (pattern: string, path: string) => parsePathGlob(pattern).matches(path.split("/"));

describe("parsePathGlob", () => {
  it.each([
    ["*.ts", "a.ts"],
    ["*.ts", "src/deep/a.ts"],
    ["src/*.ts", "src/a.ts"],
    ["src/**/*.ts", "src/a.ts"],
    ["src/**/*.ts", "src/x/y/a.ts"],
    ["**/test/**", "a/test/b/c"],
    ["**", "a/b"],
    ["/a/b", "a/b"],
    ["./a/b", "a/b"],
    ["a/**", "a/b/c"],
    ["*.{ts,tsx}", "x/a.tsx"],
    ["{src,test}/{a,b}.ts", "test/b.ts"],
    ["{a,{b,c}}", "c"],
    ["file[0-9].txt", "file7.txt"],
    ["file[!0-9].txt", "filex.txt"],
    ["[]]", "]"],
    ["a?c", "a😀c"],
    ["\\*", "*"],
    ["[", "["],
    ["{a", "{a"],
    ["a.b", "a.b"],
  ])("matches %s with %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });

  it.each([
    ["*.ts", "a.tsx"],
    ["src/*.ts", "src/x/a.ts"],
    ["src/*.ts", "other/src/a.ts"],
    ["a/**", "a"],
    ["a?c", "ac"],
    ["a.b", "axb"],
    ["\\*", "x"],
    ["file[0-9].txt", "filex.txt"],
    ["*.{ts,tsx}", "a.js"],
  ])("does not match %s with %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });

  it("is fast for hostile patterns", { meta: { covers: ["A9"] } }, () => {
    const start = performance.now();
    expect(matches(`${"*a".repeat(400)}b`, "a".repeat(250))).toBe(false);
    expect(matches(`${"**/a/".repeat(150)}b`, "a/".repeat(200))).toBe(false);
    expect(matches("{a,b}".repeat(180), "x")).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
