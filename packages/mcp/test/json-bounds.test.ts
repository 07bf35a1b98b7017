import { jsonExcess } from "#transport/json-bounds.js";
import type { JsonBounds } from "#transport/json-bounds.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const FREE: JsonBounds = { depth: Infinity, parts: Infinity, keys: Infinity };

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Brackets, commas and colons outside of strings. */
function partsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  const between = Math.max(0, inner.length - 1) + (Array.isArray(value) ? 0 : inner.length);
  return 1 + between + inner.reduce((sum: number, one) => sum + partsOf(one), 0);
}

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)];
}

/** Strings with characters that look like structure or like the end of a string. */
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

describe("the bounds on the structure of JSON", { meta: { covers: ["F22", "A17"] } }, () => {
  it.each<[keyof JsonBounds, (value: unknown) => number, string]>([
    ["depth", depthOf, "deep"],
    ["parts", partsOf, "values and keys"],
    ["keys", (value) => new Set(keysOf(value)).size, "different keys"],
  ])("count the %s of a value exactly, whatever its strings contain, in text and in bytes", (bound, count, said) => {
    const limits = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(tree, limits, fc.constantFrom(undefined, 2), (value, limit, indent) => {
        const json = JSON.stringify(value, undefined, indent);
        const bounds = { ...FREE, [bound]: limit };
        const expected = count(value) > limit ? expect.stringContaining(said) : undefined;
        expect(jsonExcess(json, bounds)).toEqual(expected);
        expect(jsonExcess(Buffer.from(json), bounds)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["at the bound of the depth", `${"[".repeat(3500)}${"]".repeat(3500)}`, undefined],
    ["one level deeper", `${"[".repeat(3501)}${"]".repeat(3501)}`, "it is nested more than 3500 deep"],
    ["far deeper", "[".repeat(1_000_000), "it is nested more than 3500 deep"],
    ["a million numbers", `[${"0,".repeat(999_998)}0]`, undefined],
    ["a list of more", `[${"0,".repeat(1_000_000)}0]`, "it has more than 1000000 values and keys"],
    ["as many empty lists", `[${"[],".repeat(500_000)}0]`, "it has more than 1000000 values and keys"],
    ["40 000 different keys", keyed(40_000), undefined],
    ["60 000 different keys", keyed(60_000), "it has more than 50000 different keys"],
    ["60 000 long keys", keyed(60_000, "long".repeat(20)), "it has more than 50000 different keys"],
    ["one key 300 000 times", `[${'{"a":1},'.repeat(300_000)}0]`, undefined],
    ["a large string full of structure", JSON.stringify('{"a":[1,2]},'.repeat(500_000)), undefined],
  ])("are, for %s, as they should be", (_, json, excess) => {
    expect(jsonExcess(json)).toBe(excess);
    expect(jsonExcess(Buffer.from(json))).toBe(excess);
  });
});

function keyed(count: number, prefix = ""): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}x`, at])));
}
