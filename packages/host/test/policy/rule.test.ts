import { parseRule, parseRuleOrError } from "#policy/rule.js";
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
    ["an argument without its end", "github:create_issue(repo=acme/*"],
    ["more than anybody would write", `files:${"a".repeat(4000)}`],
  ])("is not %s", (_, text) => {
    expect(parseRule("deny", text)).toBeUndefined();
  });

  it("names the host's own tools like those of a server", () => {
    expect(parseRule("ask", "native:search_*")).toMatchObject({ server: { pattern: "native" }, arguments: [] });
  });

  it("keeps the layer it came from", () => {
    expect(parseRule("ask", "files:*", "project")).toMatchObject({ source: "project" });
    expect(parseRule("ask", "files:*")).not.toHaveProperty("source");
  });
});

describe("the arguments of a rule", () => {
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
  ])("%s", (written, expected) => {
    const rule = parseRule("allow", `github:create_*${written}`);
    expect(rule).toMatchObject({ tool: { pattern: "create_*" }, text: `github:create_*${written}` });
    expect(rule?.arguments.map(({ path, value }) => [path, value.pattern])).toEqual(expected);
  });

  it.each([
    ["files", 'it names no tool; write "server:tool", with * for any part'],
    ["*(a=b)", 'it names no tool; write "server:tool", with * for any part'],
    [":read", "the server is missing before the colon"],
    ["files:", "the tool is missing after the colon"],
    ["files:(a=b)", "the tool is missing after the colon"],
    ["my files:x", '"my files" can\'t be a server: an id has only A–Z a–z 0–9 _ -, and * stands for any part'],
    ["a:b c", '"b c" can\'t be a tool: no spaces or parentheses'],
    ["a:b)", '"b)" can\'t be a tool: no spaces or parentheses'],
    ["a:b()", "the name of an argument is missing (at character 5)"],
    ["a:b(c=d", '"," or ")" must follow; a value with other signs stands in "…" (at character 8)'],
    ["a:b(c=d e)", '"," or ")" must follow; a value with other signs stands in "…" (at character 8)'],
    ['a:b(c=d"e")', '"," or ")" must follow; a value with other signs stands in "…" (at character 8)'],
    ["a:b(c=d)e", "nothing may follow the closing parenthesis (at character 9)"],
    ["a:b(c=d))", "nothing may follow the closing parenthesis (at character 9)"],
    ["a:b(c)", '"=" and a value must follow "c" (at character 6)'],
    ["a:b(c =d)", '"=" and a value must follow "c" (at character 6)'],
    ["a:b(c=)", 'a value is missing; the empty text is written "" (at character 7)'],
    ["a:b(c= d)", 'a value is missing; the empty text is written "" (at character 7)'],
    ["a:b(c=d,)", "the name of an argument is missing (at character 9)"],
    ["a:b(c..d=e)", "the name of an argument is missing (at character 7)"],
    ["a:b(=e)", "the name of an argument is missing (at character 5)"],
    ['a:b(c="d)', "the quote at character 7 is not closed"],
    [String.raw`a:b(c="d\")`, "the quote at character 7 is not closed"],
    ["a:b(*=/etc/*)", "* stands for a part of a value, not of a name (at character 6)"],
    [`a:b(${"c=d,".repeat(16)}c=d)`, "there are more than 16 arguments (at character 69)"],
    [`a:${"b".repeat(4000)}`, "it is longer than 4000 characters"],
  ])("%s: what is wrong is said", (text, wrong) => {
    expect(parseRuleOrError("deny", text)).toEqual({ wrong });
  });

  it("are read back as written, whatever they hold, when they are quoted", () => {
    const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }), fc.string(), (path, value) => {
        const rule = parseRule("deny", `a:b(${path.map(quote).join(".")}=${quote(value)})`);
        expect(rule?.arguments).toMatchObject([{ path, value: { pattern: value } }]);
      }),
    );
  });

  it("are a rule or a reason for any text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", ":", "(", ")", ",", "=", ".", '"', "\\", " ") });
    fc.assert(
      fc.property(text, (written) => {
        const read = parseRuleOrError("deny", written);
        expect("wrong" in read ? read.wrong : read.text).not.toBe(undefined);
        expect(parseRule("deny", written) === undefined).toBe("wrong" in read);
      }),
      { numRuns: 1000 },
    );
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
