import { isDeeperThan } from "#transport/json-depth.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Full of what could be taken for a bracket or for the end of a text. */
const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", "é", "a"), maxLength: 100, size: "max" });
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 12, depthSize: "large", withCrossShrink: true },
    text,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(text, tie("tree"), { maxKeys: 2 }),
  ),
}));

it("is the depth of the value, whatever its texts hold, in characters and in bytes", () => {
  fc.assert(
    fc.property(tree, fc.integer({ min: 1, max: 6 }), fc.constantFrom(undefined, 2), (value, limit, indent) => {
      const json = JSON.stringify(value, undefined, indent);
      const deeper = depthOf(value) > limit;
      expect(isDeeperThan(json, limit)).toBe(deeper);
      expect(isDeeperThan(Buffer.from(json), limit)).toBe(deeper);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ["at the limit", 3500, false],
  ["one over it", 3501, true],
  ["far over it", 1_000_000, true],
])("%s", (_, depth, deeper) => {
  expect(isDeeperThan(`${"[".repeat(depth)}${"]".repeat(depth)}`, 3500)).toBe(deeper);
});
