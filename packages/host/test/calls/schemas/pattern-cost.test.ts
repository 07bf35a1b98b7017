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
    ["a loop in a loop", "^(a+)+$"],
    ["two ways to match each repetition", "^(a|a)*$"],
    ["two beginnings with the same character in a loop", "^(a|ab)*$"],
    ["an inner loop whose characters the outer loop may match too", String.raw`^(\w+\s?)*$`],
    ["a loop whose inner loop may be empty", "^(a*)*$"],
    ["a loop over an alternative that may be empty", "^(?:|a)*$"],
    ["two ways to match nothing", "^((a*|b*)c)*$"],
    ["many optional characters", "^(a?){30}a{30}$"],
    ["two loops for the same text", String.raw`^\d*\d*$`],
    ["a loop that also matches the character after it", String.raw`^.*,.*$`],
    ["no anchor before a loop", String.raw`\d+$`],
    ["an alternative without an anchor", "^a$|b+"],
    ["a lookahead", "^(?=a+)b$"],
    ["a back reference", String.raw`^(a+)\1$`],
    ["a Unicode property", String.raw`^\p{L}+$`],
    ["too many positions", "^(a{100}){100}$"],
    ["an invalid pattern", "^[a"],
    ["a pattern that is too long", "(".repeat(5000)],
  ])("rates as unbounded or unknown: %s", (_, pattern) => {
    expect(patternCost(pattern)).toBeUndefined();
  });

  it("counts the ways to match, which alternatives and a missing anchor multiply", () => {
    expect(patternCost("^a[b]$")).toBe(1);
    expect(patternCost("^(ab|ac)$")).toBe(2);
    expect(patternCost("abc")).toBe(4);
  });
});
