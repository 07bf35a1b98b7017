/** Tests the texts of problems: the path and the reason, but never the value. */
import type { Json, JsonObject } from "@plugboard/contracts";
import { compileSchema, FORMATS } from "#calls/schemas/compile-schema.js";
import { describe, expect, it } from "vitest";

const problems = (schema: JsonObject, value: Json) =>
  compileSchema(schema)(value)?.map(({ path, message }) => `${path}: ${message}`);

const FILE: JsonObject = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    mode: { enum: ["read", "write"] },
    lines: { type: "array", items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    limit: { type: ["integer", "null"], minimum: 1, maximum: 100 },
  },
  required: ["path"],
  additionalProperties: false,
};

describe("describeProblems", () => {
  it("finds no problem in valid arguments", () => {
    expect(problems(FILE, { path: "/x", mode: "read", lines: [{ name: "a" }], limit: null })).toBeUndefined();
  });

  it.each<[Json, string[]]>([
    [{ path: 7 }, ["path: must be a string, but is a number"]],
    [{}, ["path: is missing"]],
    [{ path: "" }, ["path: must have at least 1 characters"]],
    [{ path: "x", mode: "red" }, ['mode: must be one of "read", "write"']],
    [{ path: "x", limit: 1.5 }, ["limit: must be a whole number or null, but is a number"]],
    [{ path: "x", limit: 0 }, ["limit: must be at least 1"]],
    [
      { path: "x", lines: [{ name: "a" }, {}, { name: true }] },
      ["lines[1].name: is missing", "lines[2].name: must be a string, but is a boolean"],
    ],
    [{ path: "x", lines: {} }, ["lines: must be a list, but is an object"]],
    ["x", [": must be an object, but is a string"]],
  ])("describes the problem in %j", (value, expected) => {
    expect(problems(FILE, value)).toEqual(expected);
  });

  it("reports all problems at once", () => {
    expect(problems(FILE, { pth: "x", mode: 1, limit: "5" })).toEqual([
      "path: is missing",
      'pth: is not known; did you mean "path"?',
      'mode: must be one of "read", "write"',
      "limit: must be a whole number or null, but is a string",
    ]);
  });

  it("reports at most ten problems", () => {
    const value = { path: "x", lines: Array.from({ length: 50 }, () => ({})) };
    expect(problems(FILE, value)).toHaveLength(10);
  });

  it("reports only the first problem of a large value", () => {
    const value = { path: "x", lines: Array.from({ length: 500 }, () => ({})) };
    expect(problems(FILE, value)).toEqual(["lines[0].name: is missing"]);
  });

  it.each<[string, JsonObject, Json, string]>([
    [
      "a property name that is not an identifier",
      { properties: { "a b": { type: "string" } } },
      { "a b": 1 },
      '["a b"]: must be a string, but is a number',
    ],
    [
      "a property name with a slash and a tilde",
      { properties: { "a/b~c": { type: "string" } } },
      { "a/b~c": 1 },
      '["a/b~c"]: must be a string, but is a number',
    ],
    [
      "an unknown property without a similar known one",
      { properties: { a: {} }, additionalProperties: false },
      { quite_other: 1 },
      "quite_other: is not known",
    ],
    ["a wrong constant", { properties: { a: { const: "x" } } }, { a: "y" }, 'a: must be "x"'],
    ["a pattern mismatch", { properties: { a: { pattern: "^x$" } } }, { a: "y" }, "a: must match the pattern ^x$"],
    [
      "a format mismatch",
      { properties: { a: { format: "date" } } },
      { a: "2026-02-30" },
      "a: must have the format date",
    ],
    [
      "equal items",
      { properties: { a: { uniqueItems: true } } },
      { a: [1, 2, 1] },
      "a: must have unique items, but [0] and [2] are equal",
    ],
    ["too many items", { properties: { a: { maxItems: 1 } } }, { a: [1, 2] }, "a: must have at most 1 items"],
    [
      "a forbidden property name",
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      "abc: has a name that is not allowed",
    ],
    [
      "a missing dependent property",
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      'b: is missing, but is required with "a"',
    ],
    ["a forbidden property", { properties: { a: false } }, { a: 1 }, "a: is not allowed"],
    ["a forbidden value", { not: { required: ["a"] } }, { a: 1 }, ": matches a schema that is not allowed"],
    [
      "a value that has neither of two types",
      { properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } },
      { a: 1 },
      "a: must be a string or null, but is a number",
    ],
    [
      "a value that differs from both allowed constants",
      { properties: { a: { anyOf: [{ const: "x" }, { const: null }] } } },
      { a: 1 },
      'a: must be one of "x", null',
    ],
    [
      "a problem in the only alternative that applies",
      {
        properties: { a: { anyOf: [{ $ref: "#/$defs/p" }, { type: "null" }] } },
        $defs: { p: { type: "object", required: ["x"] } },
      },
      { a: {} },
      "a.x: is missing",
    ],
    [
      "a value that matches no alternative",
      { properties: { a: { anyOf: [{ required: ["x"] }, { required: ["y"] }] } } },
      { a: {} },
      "a: matches none of the alternatives",
    ],
    [
      "a value that matches two alternatives",
      { properties: { a: { oneOf: [{ type: "number" }, { minimum: 1 }] } } },
      { a: 5 },
      "a: matches more than one alternative, but must match exactly one",
    ],
    ["a failed condition", { if: { required: ["a"] }, else: { required: ["b"] } }, { c: 1 }, "b: is missing"],
  ])("describes %s", (_, schema, value, expected) => {
    expect(problems(schema, value)).toEqual([expected]);
  });

  it("never shows values, and truncates names and patterns", () => {
    const secret = "sk-canary-1234567890";
    const schema: JsonObject = {
      properties: {
        a: { type: "number" },
        b: { enum: ["x"] },
        c: { pattern: `^${"y".repeat(500)}$` },
        d: { format: "uuid" },
        e: { const: 1 },
        f: { anyOf: [{ maxLength: 1 }, { type: "null" }] },
        g: { uniqueItems: true },
      },
      additionalProperties: false,
    };
    const found = problems(schema, {
      a: secret,
      b: secret,
      c: secret,
      d: secret,
      e: secret,
      f: secret,
      g: [secret, secret],
      ["n".repeat(500)]: 1,
    });
    expect(found).toHaveLength(8);
    expect(found?.join()).not.toContain("canary");
    expect(Math.max(...found!.map((one) => one.length))).toBeLessThan(150);
  });

  it("accepts a pattern that is valid only without the u flag", () => {
    const schema: JsonObject = { properties: { a: { pattern: String.raw`^[\w\@]+\_$` } } };
    expect(problems(schema, { a: "x@y_" })).toBeUndefined();
    expect(problems(schema, { a: "x@y" })).toHaveLength(1);
  });

  it("ignores unknown formats, and is lenient with times and URIs", () => {
    const schema: JsonObject = {
      properties: { a: { format: "color" }, b: { format: "date-time" }, c: { format: "uri" } },
    };
    expect(problems(schema, { a: "?", b: "2026-01-31T12:00:00", c: "https://example.com/ä" })).toBeUndefined();
    expect(problems(schema, { b: "soon" })).toHaveLength(1);
  });

  it("checks every format in linear time", { meta: { covers: ["A9"] } }, () => {
    const long = ["1", "a", "a.", "a-", ":", "1:", "/", "/a", "%41", "a@", "@", "P1Y", "-", " ", "[::", "~0", "2026-"];
    for (const format of Object.keys(FORMATS)) {
      const validate = compileSchema({ format });
      const started = performance.now();
      for (const unit of long) {
        for (const start of ["", "a@", "http://", "P", "/", "2026-01-31T12:00:00."]) {
          validate(`${start}${unit.repeat(100_000 / unit.length)}\n!`);
        }
      }
      // A hundred texts of 100 000 characters. A quadratic check would take minutes.
      expect(performance.now() - started, format).toBeLessThan(5_000);
    }
  });

  it("ignores inherited properties such as `constructor`", { meta: { covers: ["A9"] } }, () => {
    const schema: JsonObject = {
      properties: { constructor: { type: "string" }, toString: { type: "string" } },
      required: ["valueOf"],
      additionalProperties: false,
    };
    expect(problems(schema, {})).toEqual(["valueOf: is missing"]);
    expect(problems(schema, JSON.parse('{"constructor": 1, "__proto__": {}}'))).toEqual([
      "valueOf: is missing",
      "__proto__: is not known",
      "constructor: must be a string, but is a number",
    ]);
    expect(({} as JsonObject)["polluted"]).toBeUndefined();
  });

  it.each<[string, JsonObject, RegExp]>([
    ["a reference to a web page", { $ref: "http://127.0.0.1:9/schema.json" }, /refers to http:\/\/127/],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, /refers to file:/],
    ["a reference without a target", { $ref: "#/$defs/none" }, /which it does not contain/],
    ["a type that does not exist", { type: "text" }, /it is invalid/],
    ["keywords with values of the wrong type", { properties: { a: null } }, /it is invalid/],
    ["an invalid pattern", { pattern: "(" }, /it is invalid/],
    ["the keyword `$async`", { $async: true }, /asynchronous/],
  ])("does not compile a schema with %s", { meta: { covers: ["A9"] } }, (_, schema, reason) => {
    expect(() => compileSchema(schema)).toThrow(reason);
  });

  it("does not let a schema replace the meta-schema or another tool's schema", { meta: { covers: ["A9"] } }, () => {
    const $id = "https://json-schema.org/draft/2020-12/schema";
    expect(problems({ $id, type: "object", properties: { a: { type: "string" } } }, { a: 1 })).toHaveLength(1);
    expect(problems({ $id, type: "object" }, { a: 1 })).toBeUndefined();
  });

  describe("describing very many errors", { meta: { covers: ["A16"] } }, () => {
    const times = <T>(length: number, make: (at: number) => T): T[] =>
      Array.from({ length }, (_, index) => make(index));
    const names = (prefix: string, count: number): JsonObject =>
      Object.fromEntries(times(count, (index) => [`${prefix}${index}`, {}]));
    const closed = (properties: JsonObject): JsonObject => ({ properties, additionalProperties: false });

    // Each case takes about 10 ms. To describe every error would take seconds, and to collect them all half a second.
    it.each<[string, JsonObject, Json]>([
      [
        "long unknown names",
        { allOf: times(6, () => closed(names("p".repeat(180), 60))) },
        names("pq".repeat(90), 198),
      ],
      ["unknown names among many known ones", closed(names("p".repeat(50), 900)), names("q".repeat(50), 190)],
      [
        "many keywords for each item",
        { items: { allOf: times(600, (index) => ({ maximum: -index - 1 })) } },
        times(190, () => 1),
      ],
    ])("is quick: %s", (_, schema, value) => {
      const validate = compileSchema(schema);
      validate(value);
      const began = process.cpuUsage();
      expect(validate(value)).not.toHaveLength(0);
      expect(process.cpuUsage(began).user / 1_000).toBeLessThan(200);
    });

    it("suggests a known name only for the first three unknown ones", () => {
      const found = problems(closed({ color: {}, width: {} }), { colr: 1, colour: 1, widt: 1, wdth: 1 });
      expect(found?.filter((line) => line.includes("did you mean"))).toHaveLength(3);
      expect(found).toHaveLength(4);
    });

    it("names a type only once if many alternatives share it", () => {
      const schema = { anyOf: times(30, () => ({ type: "string" })) };
      expect(problems(schema, 1)).toEqual([": must be a string, but is a number"]);
    });
  });
});
