/** Tests which schemas are cheap, risky or unusable. */
import type { Json, JsonObject } from "@plugboard/contracts";
import { assessRisk } from "#calls/schemas/assess-risk.js";
import { describe, expect, it } from "vitest";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const nested = (levels: number): JsonObject =>
  Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ properties: { a: inner } }), { type: "string" });
/** Nested schemas, each with two alternatives. */
const nestedForms = (levels: number): JsonObject =>
  Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ anyOf: [inner, { type: "number" }] }), {
    type: "string",
  });
const RULES: JsonObject = { minimum: 1, maximum: 2, minLength: 1, maxLength: 3, minItems: 1, maxItems: 2 };
/** A schema in which each level refers twice to the next. */
const doubling = (keyword: string, levels: number): JsonObject => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === levels - 1 ? { type: "number" } : { [keyword]: [next, { ...next }] }];
    }),
  ),
});

describe("assessRisk", () => {
  it.each<[string, JsonObject]>([
    ["ordinary arguments", object({ path: { type: "string" }, limit: { type: "integer", minimum: 1 } })],
    ["properties named like keywords", object({ $ref: { type: "string" }, pattern: { type: "string" }, $id: {} })],
    ["a reference", object({ at: { $ref: "#/$defs/at" } }, { $defs: { at: { type: "number" } } })],
    ["parts that two references share", doubling("allOf", 4)],
    ["a pattern that is linear", object({ id: { type: "string", pattern: "^[a-z]+$" } })],
    ["unique scalar items", object({ tags: { type: "array", uniqueItems: true, items: { type: "string" } } })],
    ["a few nested alternatives", nestedForms(10)],
    ["a schema with its own $id", object({}, { $id: "https://example.com/x" })],
    [
      "a reference with a description",
      object({ at: { $ref: "#/$defs/at", description: "where" } }, { $defs: { at: {} } }),
    ],
  ])("rates as cheap: %s", (_, schema) => {
    expect(assessRisk(schema)).toMatchObject({ kind: "cheap" });
  });

  it.each<[string, JsonObject]>([
    ["a pattern that may take exponential time", object({ a: { pattern: "^(a+)+$" } })],
    ["an exponential pattern for property names", { patternProperties: { "^(a+)+$": {} } }],
    ["recursion", object({ children: { items: { $ref: "#" } } })],
    [
      "indirect recursion",
      { $ref: "#/$defs/a", $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { $ref: "#/$defs/a" } } },
    ],
    ["alternatives that double with each level", doubling("anyOf", 20)],
    ["allOf that doubles with each level", doubling("allOf", 20)],
    ["a huge enum", object({ a: { enum: Array.from({ length: 2000 }, (_, index) => index) } })],
    ["unique objects", object({ a: { uniqueItems: true, items: { type: "object" } } })],
    ["unique items of any type", object({ a: { type: "array", uniqueItems: true } })],
    ["a reference without a target", object({ a: { $ref: "#/$defs/none" } })],
    ["a dynamic reference", object({ a: { $dynamicRef: "#node" } })],
    ["a reference to another document", object({ a: { $ref: "http://127.0.0.1/x" } })],
    ["an inner $id, which changes the meaning of references", object({ a: { $id: "http://x/y", $ref: "#/$defs/z" } })],
    [
      "more parts than can be compiled quickly",
      object(Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`p${index}`, {}]))),
    ],
    ["alternatives nested too deeply to compile quickly", nestedForms(40)],
    ["long texts in an enum", { enum: Array.from({ length: 90 }, (_, index) => `${"a".repeat(700)}${index}`) }],
    ["very many alternatives", { anyOf: Array.from({ length: 300 }, () => ({ type: "string" })) }],
    [
      "many keywords under a long property name",
      object({ ["n".repeat(36_000)]: { allOf: Array.from({ length: 20 }, () => RULES) } }),
    ],
    ["more keywords than can be compiled quickly", { allOf: Array.from({ length: 100 }, () => RULES) }],
    [
      "large parts that are never applied",
      object({}, { $defs: { a: { enum: Array.from({ length: 6000 }, () => 1) } } }),
    ],
    [
      "very many patterns",
      { patternProperties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`^p${index}$`, {}])) },
    ],
  ])("rates as risky: %s", { meta: { covers: ["A9"] } }, (_, schema) => {
    expect(assessRisk(schema)).toMatchObject({ kind: "risky" });
  });

  describe("references that Ajv resolves in a nonstandard way", { meta: { covers: ["A16"] } }, () => {
    const slow = { pattern: "^(a+)+$" };
    it.each<[string, JsonObject]>([
      [
        "`#/`, which Ajv resolves to the whole schema",
        object({ a: { anyOf: [{ $ref: "#/" }, { $ref: "#/" }] } }, { "": {} }),
      ],
      ["a trailing #", object({ a: { $ref: "#/$defs/a#" } }, { $defs: { "a#": {}, a: slow } })],
      ["a trailing #/", object({ a: { $ref: "#/$defs/a#/" } }, { $defs: { "a#": { "": {} }, a: slow } })],
      [
        "an $id on the path of a pointer",
        object(
          { a: { $ref: "#/$defs/a/$defs/b" } },
          { $defs: { b: slow, a: { $id: "urn:a", $defs: { b: { $ref: "#/$defs/c" }, c: slow } }, c: {} } },
        ),
      ],
      ["an encoded pointer", object({ a: { $ref: "#/$defs/%61" } }, { $defs: { "%61": {}, a: slow } })],
      ["an anchor", object({ a: { $ref: "#here" } }, { $defs: { a: { $anchor: "here", ...slow } } })],
      [
        "an $id relative to another $id",
        object({ a: { $ref: "b" } }, { $id: "http://x/a", $defs: { b: { $id: "b", ...slow } } }),
      ],
      [
        "a reference where no schema is expected",
        object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: {} }, default: { $ref: "#" } }),
      ],
    ])("rates as risky: %s", (_, schema) => {
      expect(assessRisk(schema)).toMatchObject({ kind: "risky" });
    });

    it("are assessed quickly even if many point to a large part", () => {
      const large = object(Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`p${index}`, true])));
      const allOf = Array.from({ length: 3_000 }, () => ({ $ref: "#/$defs/large" }));
      const began = process.cpuUsage();
      expect(assessRisk({ allOf, $defs: { large } })).toMatchObject({ kind: "risky" });
      // Takes about 20 ms. Copying the part for each reference would take seconds.
      expect(process.cpuUsage(began).user / 1_000).toBeLessThan(500);
    });

    it("are inlined, and the inlined schema is assessed and applied", () => {
      const schema = object({ a: { $ref: "#/$defs/a", maxLength: 3 } }, { $defs: { a: { type: "string" } } });
      expect(assessRisk(schema)).toMatchObject({
        kind: "cheap",
        schema: { type: "object", properties: { a: { maxLength: 3, allOf: [{ type: "string" }] } } },
      });
    });
  });

  it.each<[string, JsonObject, string]>([
    ["3000 nested levels", nested(3000), "it is too large or too deep"],
    ["a megabyte of text", { description: "x".repeat(1_000_000) }, "it is too large or too deep"],
    [
      "a hundred thousand values",
      { enum: Array.from<Json>({ length: 100_000 }).fill(1) },
      "it is too large or too deep",
    ],
    ["draft-04", { $schema: "http://json-schema.org/draft-04/schema#" }, "its JSON Schema dialect is not supported"],
    ["an unknown dialect", { $schema: "https://example.com/own" }, "its JSON Schema dialect is not supported"],
    ["a dialect that is not a string", { $schema: 7 }, "its JSON Schema dialect is not supported"],
  ])("rates as unusable: %s", { meta: { covers: ["A9"] } }, (_, schema, reason) => {
    expect(assessRisk(schema)).toEqual({ kind: "unusable", reason });
  });

  it("adds the weight of a shared part once per reference", () => {
    const weight = (schema: JsonObject) => {
      const risk = assessRisk(schema);
      return risk.kind === "cheap" ? risk.weight : undefined;
    };
    expect(weight(doubling("allOf", 5))).toBeGreaterThan(2 * weight(doubling("allOf", 4))! - 2);
  });

  it("adds weight for unique items and alternatives", { meta: { covers: ["A16"] } }, () => {
    const unique = { uniqueItems: true, items: { type: "number" } };
    const forms = { items: { anyOf: Array.from({ length: 30 }, () => ({ type: "string" })) } };
    // In the main thread, 240 000 numbers take about 600 ms, and 12 000 items with 30 alternatives about 150 ms.
    expect(assessRisk(unique)).toMatchObject({ kind: "cheap", weight: expect.toSatisfy((weight) => weight > 50) });
    expect(assessRisk(forms)).toMatchObject({ kind: "cheap", weight: expect.toSatisfy((weight) => weight > 300) });
  });

  it("reports whether the length of text matters", () => {
    expect(assessRisk(object({ a: { type: "string" } }))).toMatchObject({ readsText: false });
    expect(assessRisk(object({ a: { type: "string", maxLength: 5 } }))).toMatchObject({ readsText: true });
    expect(assessRisk(object({ a: { type: "string", format: "uri" } }))).toMatchObject({ readsText: true });
  });
});
