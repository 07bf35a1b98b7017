import { parseRule, parseRuleOrError } from "#rules/rule.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("parseRule", () => {
  it.each([
    ["files:read_file", "files", "read_file"],
    ["files:*", "files", "*"],
    ["*:delete_*", "*", "delete_*"],
    ["*", "*", "*"],
    ["git*-x:a*b*c", "git*-x", "a*b*c"],
    ["files:a:b", "files", "a:b"],
    ["files:größe.x/y", "files", "größe.x/y"],
  ])("parses %s as server %s and tool %s", (text, server, tool) => {
    expect(parseRule("ask", text)).toMatchObject({
      effect: "ask",
      text,
      server: { pattern: server },
      tool: { pattern: tool },
    });
  });

  it.each([
    ["an empty text", ""],
    ["a rule without a colon", "files"],
    ["a rule without a tool", "files:"],
    ["a rule without a server", ":read"],
    ["a space in the server", "my files:read"],
    ["a space in the tool", "files:read file"],
    ["surrounding spaces", " files:read"],
    ["a trailing line break", "files:read\n"],
    ["an invalid server", "files.x:read"],
    ["an unclosed argument list", "github:create_issue(repo=acme/*"],
    ["a rule that is too long", `files:${"a".repeat(4000)}`],
  ])("rejects %s", (_, text) => {
    expect(parseRule("deny", text)).toBeUndefined();
  });

  it("accepts `native` as a server", () => {
    expect(parseRule("ask", "native:search_*")).toMatchObject({ server: { pattern: "native" }, arguments: [] });
  });

  it("keeps the config source of a rule", () => {
    expect(parseRule("ask", "files:*", "project")).toMatchObject({ source: "project" });
    expect(parseRule("ask", "files:*")).not.toHaveProperty("source");
  });
});

describe("parser of argument patterns", () => {
  it.each<[string, [path: string[], value: string][]]>([
    ["(repo=acme/*)", [[["repo"], "acme/*"]]],
    [
      "(repo=acme/*,draft=true)",
      [
        [["repo"], "acme/*"],
        [["draft"], "true"],
      ],
    ],
    [
      "(repo=acme/*,  draft=true)",
      [
        [["repo"], "acme/*"],
        [["draft"], "true"],
      ],
    ],
    ["(filter.owner.name=ann)", [[["filter", "owner", "name"], "ann"]]],
    ["(q=a=b(c.d:e)", [[["q"], "a=b(c.d:e"]]],
    ['(q="a, b) c")', [[["q"], "a, b) c"]]],
    ['(q="")', [[["q"], ""]]],
    [
      '(q="",r=x)',
      [
        [["q"], ""],
        [["r"], "x"],
      ],
    ],
    [String.raw`(q="say \"hi\" \\ C:\dir")`, [[["q"], String.raw`say "hi" \ C:\dir`]]],
    ['("a.b".c="x*")', [[["a.b", "c"], "x*"]]],
    ['("*"=x)', [[["*"], "x"]]],
    ["(größe=*)", [[["größe"], "*"]]],
  ])("parses %s", (written, expected) => {
    const rule = parseRule("allow", `github:create_*${written}`);
    expect(rule).toMatchObject({ tool: { pattern: "create_*" }, text: `github:create_*${written}` });
    expect(rule?.arguments.map(({ path, value }) => [path, value.pattern])).toEqual(expected);
  });

  it.each([
    ["files", 'it has no tool; write "server:tool", with * as a wildcard'],
    ["*(a=b)", 'it has no tool; write "server:tool", with * as a wildcard'],
    [":read", "the server is missing before the colon"],
    ["files:", "the tool is missing after the colon"],
    ["files:(a=b)", "the tool is missing after the colon"],
    ["my files:x", '"my files" is not a valid server: use A–Z a–z 0–9 _ - and the wildcard *'],
    ["a:b c", '"b c" is not a valid tool: spaces and parentheses are not allowed'],
    ["a:b)", '"b)" is not a valid tool: spaces and parentheses are not allowed'],
    ["a:b()", "the argument name is missing (at character 5)"],
    ["a:b(c=d", 'expected "," or ")"; put a value with other characters in quotes (at character 8)'],
    ["a:b(c=d e)", 'expected "," or ")"; put a value with other characters in quotes (at character 8)'],
    ['a:b(c=d"e")', 'expected "," or ")"; put a value with other characters in quotes (at character 8)'],
    ["a:b(c=d)e", "unexpected text after the closing parenthesis (at character 9)"],
    ["a:b(c=d))", "unexpected text after the closing parenthesis (at character 9)"],
    ["a:b(c)", 'expected "=" and a value after "c" (at character 6)'],
    ["a:b(c =d)", 'expected "=" and a value after "c" (at character 6)'],
    ["a:b(c=)", 'the value is missing; write "" for an empty value (at character 7)'],
    ["a:b(c= d)", 'the value is missing; write "" for an empty value (at character 7)'],
    ["a:b(c=d,)", "the argument name is missing (at character 9)"],
    ["a:b(c..d=e)", "the argument name is missing (at character 7)"],
    ["a:b(=e)", "the argument name is missing (at character 5)"],
    ['a:b(c="d)', "the quote at character 7 is not closed"],
    [String.raw`a:b(c="d\")`, "the quote at character 7 is not closed"],
    ["a:b(*=/etc/*)", "* is allowed in a value, not in an argument name (at character 6)"],
    [`a:b(${"c=d,".repeat(16)}c=d)`, "a rule can have at most 16 arguments (at character 69)"],
    [`a:${"b".repeat(4000)}`, "it is longer than 4000 characters"],
  ])("explains why %s is invalid", (text, error) => {
    expect(parseRuleOrError("deny", text)).toEqual({ error });
  });

  it("keeps any text in quotes unchanged", () => {
    const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }), fc.string(), (path, value) => {
        const rule = parseRule("deny", `a:b(${path.map(quote).join(".")}=${quote(value)})`);
        expect(rule?.arguments).toMatchObject([{ path, value: { pattern: value } }]);
      }),
    );
  });

  it("never throws", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", ":", "(", ")", ",", "=", ".", '"', "\\", " ") });
    fc.assert(
      fc.property(text, (written) => {
        const read = parseRuleOrError("deny", written);
        expect("error" in read ? read.error : read.text).not.toBe(undefined);
        expect(parseRule("deny", written) === undefined).toBe("error" in read);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("glob", () => {
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
  ])("pattern %j and text %j match: %s", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it("matches like the regular expression with .* for *", () => {
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

  it("stays fast with many stars", () => {
    expect(matches(`${"*a".repeat(500)}*b`, "a".repeat(100_000))).toBe(false);
  });
});

function matches(pattern: string, text: string): boolean {
  return parseRule("allow", `s:${pattern}`)!.tool.matches(text);
}
