/** Tests which patterns are proven to match in linear time. */
import { patternCost } from "#calls/schemas/pattern-cost.js";
import { describe, expect, it } from "vitest";

describe("patternCost", () => {
  it.each([
    ["^[a-z]+$"],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$"],
    ["^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"],
    [String.raw`^\d{4}-\d{2}-\d{2}$`],
    [String.raw`^(\d{1,3}\.){3}\d{1,3}$`],
    ["^#[A-Fa-f0-9]{6}$"],
    ["^(read|rename|write)$"],
    ["^v?[0-9]+(\\.[0-9]+){0,2}$"],
    [String.raw`^\S+$`],
    [String.raw`^[^\s@]+@[^\s@]+$`],
    ["^(?<year>[0-9]{4})$"],
    ["^a{2,}b*$"],
    ["foo|bar"],
    ["^.{1,100}$"],
  ])("rates %s as linear", (pattern) => {
    expect(patternCost(pattern)).toBeGreaterThan(0);
  });

  it.each([
    ["^(a+)+$", "a loop in a loop"],
    ["^(a|a)*$", "two ways for each round"],
    ["^(a|ab)*$", "two beginnings with the same character in a loop"],
    [String.raw`^(\w+\s?)*$`, "an inner loop that the outer one can go on with"],
    ["^(a*)*$", "a loop in a loop that may be empty"],
    ["^(?:|a)*$", "a loop over what may be empty"],
    ["^((a*|b*)c)*$", "two ways to match nothing"],
    ["^(a?){30}a{30}$", "many optional ones"],
    [String.raw`^\d*\d*$`, "two loops for the same text"],
    [String.raw`^.*,.*$`, "a loop that also takes what ends it"],
    [String.raw`\d+$`, "no anchor before a loop"],
    ["^a$|b+", "an alternative without an anchor"],
    ["^(?=a+)b$", "a lookahead"],
    [String.raw`^(a+)\1$`, "a reference back"],
    [String.raw`^\p{L}+$`, "properties of characters"],
    ["^(a{100}){100}$", "too many positions"],
    ["^[a", "no pattern at all"],
    ["(".repeat(5000), "too long a text"],
  ])("rates %.30s as unbounded: %s", (pattern) => {
    expect(patternCost(pattern)).toBeUndefined();
  });

  it("multiplies the alternatives outside loops", () => {
    expect(patternCost("^a[b]$")).toBe(1);
    expect(patternCost("^(ab|ac)$")).toBe(2);
    expect(patternCost("abc")).toBe(4);
  });
});
