import { parseToolWords } from "#arguments/parse-tool-words.js";
import type { ToolCandidate } from "#arguments/parse-tool-words.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("parseToolWords", () => {
  it.each<[string, ToolCandidate[]]>([
    ["fs:read", [{ server: "fs", tool: "read", isExact: true }]],
    ["fs:a.b/c:d", [{ server: "fs", tool: "a.b/c:d", isExact: true }]],
    ["fs.read", [{ server: "fs", tool: "read" }, { tool: "fs.read" }]],
    ["fs/read", [{ server: "fs", tool: "read" }, { tool: "fs/read" }]],
    ["fs.a.b", [{ server: "fs", tool: "a.b" }, { tool: "fs.a.b" }]],
    ["read", [{ tool: "read" }]],
    ["mcp__fs__read", [{ tool: "mcp__fs__read" }]],
    ["./read", [{ tool: "./read" }]],
    [".", [{ tool: "." }]],
    [
      'fs.read(path: "x")',
      [
        { server: "fs", tool: "read", args: { path: "x" } },
        { tool: "fs.read", args: { path: "x" } },
      ],
    ],
    ["read()", [{ tool: "read", args: {} }]],
    ["read({a: 1})", [{ tool: "read", args: { a: 1 } }]],
    [
      "fs:read(a=1)",
      [
        { server: "fs", tool: "read(a=1)", isExact: true },
        { server: "fs", tool: "read", isExact: true, args: { a: 1 } },
      ],
    ],
  ])("reads %j", (word, candidates) => {
    expect(parseToolWords(word, ["a=b"])).toEqual({ candidates, words: ["a=b"] });
  });

  it("reads two words as server and tool if the second is no argument", () => {
    expect(parseToolWords("fs", ["read", "a=b"])).toEqual({
      candidates: [{ server: "fs", tool: "read" }],
      words: ["a=b"],
    });
    expect(parseToolWords("fs:read", ["notes.md"])).toMatchObject({ words: ["notes.md"] });
  });

  it.each([
    ["read(x)", 'name each argument, as in (path: "x")'],
    ['read("x")', 'name each argument, as in (path: "x")'],
    ["read(path: x)", "write text in quotes"],
    ["read(path: )", "a value is missing"],
    ["read(a: 1 b: 2)", '"," or ")" is missing'],
    ["read(a: [1)", '"," or "]" is missing'],
    ["read({a: 1}, 2)", '")" is missing'],
    [`read(a: ${"[".repeat(200)}`, "nested too deeply"],
    ["read(a: 1)(b: 2)", "more text follows"],
  ])("rejects %j and says why", (word, reason) => {
    const text = word.endsWith(")") ? word : `${word})`;
    expect(() => parseToolWords(text, [])).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(reason) as string }) as Error,
    );
  });

  it.each(['fs:read(path: "x"', "read(", "fs.read(a: 1"])("says that the parenthesis of %j is not closed", (word) => {
    expect(() => parseToolWords(word, [])).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: expect.stringContaining("is not closed") as string,
      }) as Error,
    );
  });

  it("says that text follows a call whose parenthesis is closed", () => {
    expect(() => parseToolWords("every:get-sum(a: 1, b: 2) extra", [])).toThrow(
      "every:get-sum(a: 1, b: 2) extra: the call ends here, but more text follows (at character 27)",
    );
  });

  it("reads the literals of a call as JavaScript does", () => {
    const { candidates } = parseToolWords(
      String.raw`go(a: "x\"\n\u0041\x42", 'b-c': 'it\'s', d: -1.5e3, e: [true, false, null,], f: {g: {}, "h": 1,}, i = 2,)`,
      [],
    );
    expect(candidates[0]?.args).toEqual({
      a: 'x"\nAB',
      "b-c": "it's",
      d: -1500,
      e: [true, false, null],
      f: { g: {}, h: 1 },
      i: 2,
    });
  });

  it("reads any JSON in a call", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value);
        const { candidates } = parseToolWords(`go(a: ${json})`, []);
        expect(JSON.stringify(candidates[0]?.args?.["a"])).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});
