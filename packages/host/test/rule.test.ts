import { parseRule } from "#policy/rule.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("a rule", () => {
  it.each([
    ["files:read_file", "files", "read_file"],
    ["files:*", "files", "*"],
    ["*:delete_*", "*", "delete_*"],
    ["*", "*", "*"],
    ["git*-x:a*b*c", "git*-x", "a*b*c"],
    ["files:a:b", "files", "a:b"],
    ["files:größe.x/y", "files", "größe.x/y"],
  ])("%s is about servers %s and tools %s", (text, server, tool) => {
    expect(parseRule("ask", text)).toMatchObject({
      effect: "ask",
      text,
      server: { pattern: server },
      tool: { pattern: tool },
    });
  });

  it.each([
    ["nothing", ""],
    ["no colon", "files"],
    ["no tool", "files:"],
    ["no server", ":read"],
    ["a space in the server", "my files:read"],
    ["a space in the tool", "files:read file"],
    ["a space around", " files:read"],
    ["a line after it", "files:read\n"],
    ["a server that can't be", "files.x:read"],
    ["an argument pattern, which is not understood yet", "github:create_issue(repo=acme/*)"],
  ])("is not %s", (_, text) => {
    expect(parseRule("deny", text)).toBeUndefined();
  });
});

describe("a pattern", () => {
  it.each([
    ["read", "read", true],
    ["read", "Read", false],
    ["read", "read_file", false],
    ["read*", "read", true],
    ["read*", "thread", false],
    ["*file", "file", true],
    ["*file", "files", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "a1b2c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["*ab*ab*", "ab", false],
    ["*", "", true],
    ["**", "anything", true],
    ["a.c", "abc", false],
  ])("%s matches %s: %s", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it("matches what the same expression with .* for * matches", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "+", "[", "*", "*"), minLength: 1, maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "+", "["), maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (glob, word) => {
        const pieces = glob.split("*").map((piece) => piece.replace(/[.+[]/g, String.raw`\$&`));
        expect(matches(glob, word)).toBe(new RegExp(`^${pieces.join(".*")}$`).test(word));
      }),
      { numRuns: 2000 },
    );
  });

  it("is not made slow by many stars", () => {
    expect(matches(`${"*a".repeat(500)}*b`, "a".repeat(100_000))).toBe(false);
  });
});

function matches(pattern: string, text: string): boolean {
  return parseRule("allow", `s:${pattern}`)!.tool.matches(text);
}
