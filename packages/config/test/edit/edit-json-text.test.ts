import { appendIn, removeIn, removeItem, setIn } from "#edit/edit-json-text.js";
import { nodeValue } from "#parse/members.js";
import { parseConfigText } from "#parse/parse-config-text.js";
import type { Json } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("setIn with a new member", () => {
  it.each<[string, string, string]>([
    ["to the empty object of a file", "{}\n", '{\n  "new": {\n    "x": [1, 2]\n  }\n}\n'],
    ["to an empty object of several lines", '{\n\t"a": {}\n}', '{\n\t"a": {},\n\t"new": {\n\t\t"x": [1, 2]\n\t}\n}'],
    ["on the same line if the text has one line", '{"a":1}', '{"a":1, "new": { "x": [1, 2] }}'],
    [
      "after a trailing comma, with its own trailing comma",
      '{\n  "a": 1,\n}',
      '{\n  "a": 1,\n  "new": {\n    "x": [1, 2]\n  },\n}',
    ],
    [
      "with Windows line endings",
      '{\r\n    "a": 1\r\n}',
      '{\r\n    "a": 1,\r\n    "new": {\r\n        "x": [1, 2]\r\n    }\r\n}',
    ],
    [
      "below the comment on the last member",
      '{\n  "a": 1 // of a\n  // the end\n}',
      '{\n  "a": 1, // of a\n  // the end\n  "new": {\n    "x": [1, 2]\n  }\n}',
    ],
    ["to an object with only a comment", "{ /* none yet */ }", '{ /* none yet */\n  "new": {\n    "x": [1, 2]\n  }\n}'],
    [
      "before a closing brace on the line of the last member",
      '{\n  "a": 1 }',
      '{\n  "a": 1,\n  "new": {\n    "x": [1, 2]\n  } }',
    ],
  ])("adds the member %s", (_, before, after) => {
    expect(setIn(before, ["new"], { x: [1, 2] })).toBe(after);
  });

  it("creates the missing parent objects", () => {
    expect(setIn('{\n  "version": 1\n}\n', ["mcp", "servers", "a"], {})).toBe(
      '{\n  "version": 1,\n  "mcp": {\n    "servers": {\n      "a": {}\n    }\n  }\n}\n',
    );
  });

  it("breaks a long list into lines", () => {
    const long = ["x".repeat(60), "y".repeat(60)];
    expect(setIn("{\n}", ["a"], long)).toBe(`{\n  "a": [\n    "${long[0]}",\n    "${long[1]}"\n  ]\n}`);
  });
});

describe("setIn with an existing member", () => {
  it("keeps unchanged values with their comments and formatting", () => {
    const before = '{\n  "a": {\n    // why\n    "x": 1.0, /* kept */\n    "y": [ 1,2 ],\n    "z": 0\n  }\n}';
    const after = '{\n  "a": {\n    // why\n    "x": 1.0, /* kept */\n    "y": [3]\n  }\n}';
    expect(setIn(before, ["a"], { x: 1, y: [3] })).toBe(after);
    expect(setIn(before, ["a"], { z: 0, y: [1, 2], x: 1 })).toBe(before);
  });

  it("writes a value on one line if the old value was on one line", () => {
    expect(setIn('{\n  "a": [1]\n}', ["a"], { b: { c: [1, true, null] }, d: {} })).toBe(
      '{\n  "a": { "b": { "c": [1, true, null] }, "d": {} }\n}',
    );
  });

  it("replaces the whole object if it has a duplicate key", () => {
    expect(setIn('{"a": {"b": 1, "b": 2}}', ["a"], { b: 3 })).toBe('{"a": { "b": 3 }}');
  });
});

describe("removeIn", () => {
  it.each<[string, string, string, string]>([
    [
      "the first member",
      "a",
      '{\n  // of a\n  "a": 1,\n  // of b\n  "b": 2\n}',
      '{\n  // of a\n  // of b\n  "b": 2\n}',
    ],
    ["the last member", "b", '{\n  "a": 1, // of a\n  // of b\n  "b": 2\n}', '{\n  "a": 1 // of a\n  // of b\n}'],
    ["the last member with a trailing comma", "b", '{\n  "a": 1,\n  "b": 2,\n}', '{\n  "a": 1,\n}'],
    ["the only member", "a", '{\n  "a": 1\n}', "{\n}"],
    ["the only member with a trailing comma", "a", '{ "a": 1, }', "{ }"],
    ["a member in the middle of a line", "b", '{ "a": 1, "b": 2, "c": 3 }', '{ "a": 1, "c": 3 }'],
    ["the first member of a line", "a", '{ "a": 1, "b": 2 }', '{ "b": 2 }'],
    ["the last member of a line", "b", '{ "a": 1, "b": 2 }', '{ "a": 1 }'],
    ["a member with a comment after it", "a", '{\n  "a": 1, // of a\n  "b": 2\n}', '{\n  // of a\n  "b": 2\n}'],
    ["a member with a comment before its comma", "a", '{ "a": 1 /* of a */, "b": 2 }', '{ /* of a */ "b": 2 }'],
    [
      "a member in a text with Windows line endings",
      "a",
      '{\r\n  "a": {\r\n  },\r\n  "b": 2\r\n}',
      '{\r\n  "b": 2\r\n}',
    ],
  ])("removes %s, and keeps the comments beside it", (_, key, before, after) => {
    expect(removeIn(before, [key])).toBe(after);
  });

  it("does nothing for a missing member", () => {
    expect(removeIn('{"a": 1}', ["b"])).toBe('{"a": 1}');
    expect(removeIn('{"a": 1}', ["a", "b"])).toBe('{"a": 1}');
  });
});

it("appendIn and removeItem change a list and keep its comments", () => {
  const before = '{\n  "list": [\n    "a", // of a\n    "b"\n  ]\n}';
  const more = appendIn(before, ["list"], "c");
  expect(more).toBe('{\n  "list": [\n    "a", // of a\n    "b",\n    "c"\n  ]\n}');
  expect(removeItem(more, ["list"], 0)).toBe('{\n  "list": [\n    // of a\n    "b",\n    "c"\n  ]\n}');
  expect(appendIn('{"list": []}', ["list"], "c")).toBe('{"list": ["c"]}');
  expect(appendIn("{\n}", ["list"], "c")).toBe('{\n  "list": ["c"]\n}');
});

describe("edits of any JSON text with comments", () => {
  it("setIn sets a member and changes nothing else", () => {
    fc.assert(
      fc.property(documents(), keys, values, (text, key, value) => {
        const after = setIn(text, ["here", key], value);
        const model = parsed(text);
        expect(parsed(after)).toEqual({ ...model, here: { ...model["here"], [key]: value } });
        expect(rest(after, key)).toEqual(rest(text, key));
        expect(outside(after)).toBe(outside(text));
      }),
      { numRuns: 300 },
    );
  });

  it("removeIn removes a member and changes nothing else", () => {
    fc.assert(
      fc.property(documents(), keys, (text, key) => {
        const after = removeIn(text, ["here", key]);
        const { [key]: _, ...others } = parsed(text)["here"]!;
        expect(parsed(after)).toEqual({ ...parsed(text), here: others });
        expect(rest(after, key)).toEqual(rest(text, key));
        expect(outside(after)).toBe(outside(text));
      }),
      { numRuns: 300 },
    );
  });

  it("removeIn after setIn restores the text, except for commas and spaces", () => {
    fc.assert(
      fc.property(documents(), values, (text, value) => {
        const after = removeIn(setIn(text, ["here", "new"], value), ["here", "new"]);
        expect(rest(after, "new")).toEqual(rest(text, "new"));
      }),
      { numRuns: 300 },
    );
  });
});

const keys = fc.constantFrom("a", "b", "c", "d e", '"', "//", "ö");
const values: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')) as Json);

/** Generates `{ before…, "here": {…}, after… }` with comments, spaces and line endings anywhere. */
function documents(): fc.Arbitrary<string> {
  const gap = fc
    .array(fc.constantFrom(" ", "\n", "\t", "  ", '/* "x": , } */', '// ] , "\n', "\n\n  "), { maxLength: 3 })
    .map((parts) => parts.join(""));
  const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
    fc.tuple(gap, key, gap, gap, value, gap).map((p) => `${p[0]}${JSON.stringify(p[1])}${p[2]}:${p[3]}${p[4]}${p[5]}`);
  const plain = values.map((value) => JSON.stringify(value, undefined, 1));
  const object = (inner: fc.Arbitrary<string[]>) =>
    fc
      .tuple(inner, fc.boolean(), gap)
      .map(([all, comma, end]) => `{${all.join(",")}${comma && all.length ? "," : ""}${end}}`);
  const here = object(
    fc
      .uniqueArray(keys, { maxLength: 4 })
      .chain((some) => fc.tuple(...some.map((key) => member(fc.constant(key), plain)))),
  );
  const root = object(
    fc
      .tuple(member(fc.constant("x"), plain), member(fc.constant("here"), here), member(fc.constant("z"), plain))
      .chain(([x, mine, z]) => fc.constantFrom([x, mine, z], [mine, z], [x, mine], [mine])),
  );
  return fc.tuple(gap, root, gap, fc.boolean()).map(([first, text, last, windows]) => {
    const all = first + text + last;
    return windows ? all.replaceAll("\n", "\r\n") : all;
  });
}

function parsed(text: string): { [key: string]: { [key: string]: Json } } {
  const { root, syntaxErrors } = parseConfigText(text);
  expect(syntaxErrors).toEqual([]);
  return JSON.parse(JSON.stringify(nodeValue(root!))) as { [key: string]: { [key: string]: Json } };
}

/** Returns the exact text before and after `here`. */
function outside(text: string): string {
  const here = parseConfigText(text)
    .root!.children!.map(({ children }) => children!)
    .find(([key]) => key!.value === "here");
  const [, { offset, length }] = here as [unknown, { offset: number; length: number }];
  return `${text.slice(0, offset)}{…}${text.slice(offset + length)}`;
}

/** Returns the comments, keys and values of `here` in order, without the member `key`, commas and spaces. */
function rest(text: string, key: string): string[] {
  const { root } = parseConfigText(text);
  const here = root!.children!.map(({ children }) => children!).find(([name]) => name!.value === "here")![1]!;
  const member = here.children!.find(({ children }) => children![0]!.value === key);
  const inner = text.slice(here.offset, here.offset + here.length);
  const from = member ? member.offset - here.offset : inner.length;
  const cut = inner.slice(0, from) + (member ? inner.slice(from + member.length) : "");
  return cut.match(/\/\/[^\r\n]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"|[{}[\]:]|[^\s,"/{}[\]:]+/g) ?? [];
}
