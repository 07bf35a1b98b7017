import { estimateJsonBytes } from "#activity/estimate-json-bytes.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

const text = fc.string({ unit: fc.constantFrom("a", "B", "3", " ") });
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
}));

it("estimateJsonBytes returns the length of the JSON text if no character is escaped", () => {
  fc.assert(fc.property(json, (value) => estimateJsonBytes(value) === JSON.stringify(value).length));
});

it("estimateJsonBytes counts the whole of a long text, but stops early in a value with very many parts", () => {
  expect(estimateJsonBytes({ text: "x".repeat(5_000_000) })).toBe(5_000_011);
  const many = Array.from({ length: 100_000 }, () => ({ a: 1 }));
  expect(estimateJsonBytes(many)).toBeGreaterThan(100_000);
});
