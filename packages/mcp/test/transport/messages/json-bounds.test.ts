import { findExceededBound } from "#transport/messages/json-bounds.js";
import type { JsonBounds } from "#transport/messages/json-bounds.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const FREE: JsonBounds = { depth: Infinity, depthSum: Infinity, punctuation: Infinity, objectShapes: Infinity };

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Counts brackets, commas and colons outside of strings. */
function partsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  const between = Math.max(0, inner.length - 1) + (Array.isArray(value) ? 0 : inner.length);
  return 2 + between + inner.reduce((sum: number, child) => sum + partsOf(child), 0);
}

function depthsOf(value: unknown, depth = 1): number {
  if (typeof value !== "object" || value === null) return 0;
  return depth + Object.values(value).reduce((sum: number, child) => sum + depthsOf(child, depth + 1), 0);
}

/** Returns, for each member of each object, the keys of the object up to that member. */
function shapesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return [
    ...keys.map((_, index) => JSON.stringify(keys.slice(0, index + 1))),
    ...Object.values(value).flatMap(shapesOf),
  ];
}

/** Strings with characters that look like JSON structure or like the end of a string. */
const text = fc.string({
  unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "é", "a"),
  maxLength: 100,
  size: "max",
});
const key = fc.string({ unit: fc.constantFrom('"', "\\", ":", "a", "b"), maxLength: 4 });
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 12, depthSize: "large", withCrossShrink: true },
    text,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 2 }),
  ),
}));

describe("findExceededBound", { meta: { covers: ["F22", "A17"] } }, () => {
  it.each<[keyof JsonBounds, (value: unknown) => number, string]>([
    ["depth", depthOf, "deep"],
    ["depthSum", depthsOf, "add up"],
    ["punctuation", partsOf, "brackets, commas and colons"],
    ["objectShapes", (value) => new Set(shapesOf(value)).size, "shapes of objects"],
  ])(
    "counts the %s of a value exactly, whatever its strings contain, in text and in bytes",
    (bound, count, description) => {
      const limits = fc.integer({ min: 1, max: 6 });
      fc.assert(
        fc.property(tree, limits, fc.constantFrom(undefined, 2), (value, limit, indent) => {
          const json = JSON.stringify(value, undefined, indent);
          const bounds = { ...FREE, [bound]: limit };
          const expected = count(value) > limit ? expect.stringContaining(description) : undefined;
          expect(findExceededBound(json, bounds)).toEqual(expected);
          expect(findExceededBound(Buffer.from(json), bounds)).toEqual(expected);
        }),
        { numRuns: 1000 },
      );
    },
  );

  it.each([
    ["a depth of exactly 3500", `${"[".repeat(3500)}${"]".repeat(3500)}`, undefined],
    ["a depth of 3501", `${"[".repeat(3501)}${"]".repeat(3501)}`, "it is nested more than 3500 deep"],
    ["a depth of a million", "[".repeat(1_000_000), "it is nested more than 3500 deep"],
    ["three lists near the maximum depth", chains(3, 3490), undefined],
    ["330 lists of depth 3000", chains(330, 3000), "the depths of its lists and objects add up to more than 20000000"],
    ["ten lists of depth 3000", chains(10, 3000), "the depths of its lists and objects add up to more than 20000000"],
    ["almost a million numbers", `[${"0,".repeat(999_997)}0]`, undefined],
    [
      "more than a million numbers",
      `[${"0,".repeat(1_000_000)}0]`,
      "it has more than 1000000 brackets, commas and colons",
    ],
    ["400 000 empty lists", `[${"[],".repeat(400_000)}0]`, "it has more than 1000000 brackets, commas and colons"],
    ["100 000 tools", JSON.stringify({ tools: rows(100_000, tool) }), undefined],
    ["20 000 rows of ten columns", JSON.stringify(rows(20_000, row)), undefined],
    ["18 000 different keys", keyed(18_000), undefined],
    ["25 000 different keys", keyed(25_000), "it has more than 20000 different keys or shapes of objects"],
    ["500 keys of 2000 characters", keyed(500, "x".repeat(2000)), undefined],
    [
      "two million numbers at the end of a long text",
      JSON.stringify(["x".repeat(10_000_000), Array.from({ length: 2_000_000 }, () => 1)]),
      "it has more than 1000000 brackets, commas and colons",
    ],
    [
      "ten million characters of text with quotes and commas",
      JSON.stringify(['He said "yes", then "no".\n'.repeat(400_000)]),
      undefined,
    ],
    ["the same long key 100 000 times", JSON.stringify(rows(100_000, () => ({ ["long".repeat(20)]: 1 }))), undefined],
    ["the same key 200 000 times", `[${'{"a":1},'.repeat(199_000)}0]`, undefined],
    [
      "the same keys in always new order",
      JSON.stringify(rows(5000, shuffled)),
      "it has more than 20000 different keys or shapes of objects",
    ],
    ["a large string that contains JSON", JSON.stringify('{"a":[1,2]},'.repeat(500_000)), undefined],
  ])("returns the expected result for %s", (_, json, excess) => {
    expect(findExceededBound(json)).toBe(excess);
    expect(findExceededBound(Buffer.from(json))).toBe(excess);
  });
});

function chains(count: number, depth: number): string {
  return `[${Array.from({ length: count }, () => "[".repeat(depth) + "]".repeat(depth)).join(",")}]`;
}

function rows(count: number, make: (index: number) => object): object[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const tool = (index: number) => ({ name: `tool-${index}`, inputSchema: { type: "object" } });
const row = (index: number) =>
  Object.fromEntries(Array.from({ length: 10 }, (_, column) => [`column ${column}`, index]));

/** Returns an object with twenty keys. Its first three keys are others for each of 6840 numbers. */
function shuffled(index: number): object {
  const keys = Array.from({ length: 20 }, (_, key) => `k${key}`);
  const first = [index % 20, Math.floor(index / 20) % 19, Math.floor(index / 380) % 18].map(
    (from) => keys.splice(from, 1)[0]!,
  );
  return Object.fromEntries([...first, ...keys].map((key) => [key, index]));
}

function keyed(count: number, prefix = ""): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}x`, index])));
}
