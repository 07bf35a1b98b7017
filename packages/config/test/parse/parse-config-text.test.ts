import { findMember, membersOf, nodeValue } from "#parse/members.js";
import { parseConfigText } from "#parse/parse-config-text.js";
import { describe, expect, it } from "vitest";

describe("parseConfigText", { meta: { covers: ["R3.25"] } }, () => {
  it.each([
    ["comments of both kinds", '// first\n{ /* then */ "a": 1 } // last\n'],
    ["trailing commas", '{ "a": 1, }'],
    ["a byte-order mark", '\ufeff{ "a": 1 }'],
    ["Windows line endings", '{\r\n  "a": 1\r\n}\r\n'],
  ])("accepts %s", (_, text) => {
    const { root, syntaxErrors } = parseConfigText(text);
    expect(syntaxErrors).toEqual([]);
    expect(nodeValue(root!)).toEqual({ a: 1 });
  });
});

describe("parseConfigText with a syntax error", () => {
  it.each([
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3, message: "comma expected" }],
    ["a missing brace", '{ "a": 1', { line: 1, column: 9, message: "close brace expected" }],
    ["a missing value", '{ "a": }', { line: 1, column: 8, message: "value expected" }],
    ["a missing colon", '{ "a" 1 }', { line: 1, column: 7, message: "colon expected" }],
    ["two root values", "{}\n{}", { line: 2, column: 1, message: "end of file expected" }],
    ["a file with only a comment", "// later", { line: 1, column: 9, message: "value expected" }],
  ])("reports the position of %s", (_, text, error) => {
    expect(parseConfigText(text).syntaxErrors).toEqual([error]);
  });

  it("reports only one syntax error per line", () => {
    const { syntaxErrors } = parseConfigText('{\n"a": 1\n"b": 2\n"c" 3 4\n}');
    expect(syntaxErrors.map(({ line }) => line)).toEqual([3, 4]);
  });
});

describe("ConfigText.positionOf", () => {
  it.each([
    ["in a text of one line", '{"a": {"b": 1}}', { line: 1, column: 7 }, { line: 1, column: 13 }],
    ["in a text of several lines", '{\n  "a": {\n\t"b":\n   1}}', { line: 2, column: 8 }, { line: 4, column: 4 }],
    [
      "in a text with Windows line endings",
      '{\r\n  "a": {\r\n    "b": 1}}',
      { line: 2, column: 8 },
      { line: 3, column: 10 },
    ],
    ["after comments", '// x\n/* y\n */ {"a": {"b": 1}}', { line: 3, column: 11 }, { line: 3, column: 17 }],
    [
      "after a byte-order mark, which editors do not count",
      '\ufeff{"a": {"b": 1}}',
      { line: 1, column: 7 },
      { line: 1, column: 13 },
    ],
  ])("returns the line and column of a node, starting at 1, %s", (_, text, outer, inner) => {
    const { root, positionOf } = parseConfigText(text);
    const a = findMember(root, "a")!.valueNode;
    expect(positionOf(a)).toEqual(outer);
    expect(positionOf(findMember(a, "b")!.valueNode)).toEqual(inner);
  });
});

describe("membersOf and findMember", () => {
  const { root } = parseConfigText('{ "b": 1, "a": [2], "b": {"c": null} }');

  it("membersOf returns the members in order, including duplicates", () => {
    expect(membersOf(root).map(({ key, valueNode }) => [key, nodeValue(valueNode)])).toEqual([
      ["b", 1],
      ["a", [2]],
      ["b", { c: null }],
    ]);
  });

  it("findMember returns the last of duplicate members, as JSON.parse does", () => {
    expect(nodeValue(findMember(root, "b")!.valueNode)).toEqual({ c: null });
    expect(findMember(root, "nowhere")).toBeUndefined();
  });

  it("return no members of a node that is not an object", () => {
    expect(membersOf(findMember(root, "a")!.valueNode)).toEqual([]);
    expect(membersOf(undefined)).toEqual([]);
    expect(findMember(undefined, "a")).toBeUndefined();
  });

  it("accept any key, including names such as constructor", () => {
    const odd = parseConfigText('{ "__proto__": 1, "toString": 2 }').root;
    expect(membersOf(odd).map(({ key }) => key)).toEqual(["__proto__", "toString"]);
    expect(findMember(odd, "constructor")).toBeUndefined();
  });
});
