import { parseElicitation } from "#wire/parse-elicitation.js";
import type { FormField, Json, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const message = "Please tell";

describe("parseElicitation", () => {
  describe("field", () => {
    const red = { value: "r", title: "Red" };
    const green = { value: "g", title: "Green" };
    const plain = [
      { value: "r", title: "r" },
      { value: "g", title: "g" },
    ];

    it.each<[string, JsonObject, Partial<FormField>]>([
      ["a string", { type: "string" }, { type: "string" }],
      [
        "a string with limits and a format",
        { type: "string", minLength: 3, maxLength: 9, format: "email" },
        { type: "string", minLength: 3, maxLength: 9, format: "email" },
      ],
      ["a string with an unknown format", { type: "string", format: "colour" }, { type: "string", format: "colour" }],
      ["a number", { type: "number", minimum: 0.5, maximum: 2 }, { type: "number", minimum: 0.5, maximum: 2 }],
      ["an integer", { type: "integer", minimum: 0 }, { type: "integer", minimum: 0 }],
      ["a boolean", { type: "boolean" }, { type: "boolean" }],
      ["a single choice with enum", { type: "string", enum: ["r", "g"] }, { type: "choice", choices: plain }],
      [
        "a single choice with enumNames",
        { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
        { type: "choice", choices: [red, green] },
      ],
      [
        "a single choice with too few enumNames",
        { type: "string", enum: ["r", "g"], enumNames: ["Red"] },
        { type: "choice", choices: [red, plain[1]!] },
      ],
      [
        "a single choice with titles",
        {
          type: "string",
          oneOf: [
            { const: "r", title: "Red" },
            { const: "g", title: "Green" },
          ],
        },
        { type: "choice", choices: [red, green] },
      ],
      [
        "a single choice with some titles",
        { type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "g" }] },
        { type: "choice", choices: [red, plain[1]!] },
      ],
      [
        "multiple choices with enum",
        { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["r", "g"] } },
        { type: "choices", minItems: 1, maxItems: 2, choices: plain },
      ],
      [
        "multiple choices with titles",
        {
          type: "array",
          items: {
            anyOf: [
              { const: "r", title: "Red" },
              { const: "g", title: "Green" },
            ],
          },
        },
        { type: "choices", choices: [red, green] },
      ],
    ])("is parsed as %s", (_, schema, field) => {
      expect(read({ properties: { f: schema } })).toStrictEqual([{ name: "f", required: false, ...field }]);
    });

    it.each<[string, JsonObject, Json]>([
      ["a string", { type: "string" }, ""],
      ["a number", { type: "number" }, 0],
      ["a boolean", { type: "boolean" }, false],
      ["a single choice", { type: "string", enum: ["r"] }, "r"],
      ["multiple choices", { type: "array", items: { type: "string", enum: ["r"] } }, ["r"]],
      ["the wrong type", { type: "integer" }, "seven"],
    ])("keeps the default of %s unchanged", (_, schema, value) => {
      expect(read({ properties: { f: { ...schema, default: value } } })).toMatchObject([{ default: value }]);
    });

    it("keeps title and description if they are strings", () => {
      const properties = {
        a: { type: "string", title: "A", description: "the first" },
        b: { type: "string", title: 1, description: null },
      };
      expect(read({ properties })).toStrictEqual([
        { name: "a", required: false, type: "string", title: "A", description: "the first" },
        { name: "b", required: false, type: "string" },
      ]);
    });

    it("ignores limits that are no numbers", () => {
      expect(read({ properties: { f: { type: "string", minLength: "3", format: 7 } } })).toStrictEqual([
        { name: "f", required: false, type: "string" },
      ]);
    });
  });

  it("keeps the order of the fields and marks the required ones", () => {
    const properties = { b: { type: "string" }, a: { type: "boolean" }, c: { type: "number" } };
    const fields = read({ properties, required: ["a", "c", "nowhere"] });
    expect(fields.map(({ name, required }) => [name, required])).toEqual([
      ["b", false],
      ["a", true],
      ["c", true],
    ]);
  });

  it("accepts an empty form, the mode `form`, and unknown required fields", () => {
    const requestedSchema = { type: "object", properties: {}, required: "all" };
    expect(parseElicitation({ mode: "form", message, requestedSchema })).toStrictEqual({
      mode: "form",
      message,
      fields: [],
    });
  });

  describe("URL", () => {
    it.each([["https://example.com/login?a=1#b"], ["http://localhost:3000"]])("accepts %s", (url) => {
      const params = { mode: "url", message, url };
      expect(parseElicitation(params)).toStrictEqual(params);
      expect(parseElicitation({ ...params, elicitationId: "e-1" })).toStrictEqual({ ...params, elicitationId: "e-1" });
      expect(parseElicitation({ ...params, elicitationId: 1 })).toStrictEqual(params);
    });

    it.each<[Json | undefined]>([
      ["javascript:alert(1)"],
      ["file:///etc/passwd"],
      ["data:text/html,x"],
      ["vscode://open"],
      ["//example.com"],
      [""],
      [7],
      [undefined],
    ])("rejects %j", (url) => {
      expect(parseElicitation({ mode: "url", message, url })).toEqual({ invalid: '"url" is not an http(s) URL' });
    });
  });

  describe("invalid request", () => {
    const form = { requestedSchema: { type: "object", properties: {} } };

    it.each<[string, JsonObject, string]>([
      ["no message", form, '"message" is missing'],
      ["a message that is no string", { ...form, message: ["x"] }, '"message" is missing'],
      ["an unknown mode", { ...form, message, mode: "voice" }, 'mode "voice" is unknown'],
      ["a mode that is no string", { ...form, message, mode: ["voice"] }, "mode (a list) is unknown"],
      ["a very long mode", { ...form, message, mode: "x".repeat(1e6) }, `mode "${"x".repeat(100)}…" is unknown`],
      ["no schema", { message }, '"requestedSchema" has no "properties"'],
      [
        "a schema without properties",
        { message, requestedSchema: { type: "object" } },
        '"requestedSchema" has no "properties"',
      ],
      [
        "properties that are an array",
        { message, requestedSchema: { properties: [] } },
        '"requestedSchema" has no "properties"',
      ],
    ])("is rejected with a reason if it has %s", (_, params, invalid) => {
      expect(parseElicitation(params)).toEqual({ invalid });
    });

    it.each<[string, Json]>([
      ["an object", { type: "object", properties: {} }],
      ["a list of free strings", { type: "array", items: { type: "string" } }],
      ["a list without items", { type: "array" }],
      ["a list of numbers", { type: "array", items: { type: "number", enum: [1, 2] } }],
      ["a list whose choices are no strings", { type: "array", items: { anyOf: [{ const: 1 }] } }],
      ["a list of strings and numbers", { type: "array", items: { enum: ["a", 1] } }],
      ["a list whose choices are null", { type: "array", items: { anyOf: [null] } }],
      ["of several types", { type: ["string", "null"] }],
      ["of the type null", { type: "null" }],
      ["without a type", { title: "A" }],
      ["the schema `true`", true],
    ])("is rejected if a field is %s", (_, schema) => {
      const requestedSchema = { type: "object", properties: { ok: { type: "string" }, "odd one": schema } };
      expect(parseElicitation({ message, requestedSchema })).toEqual({
        invalid: 'field "odd one" has a schema that a form cannot show',
      });
    });
  });

  it("rejects a form that is nested deeper than JSON can be written", () => {
    const depth = 20_000;
    const nested = `${'{"properties":{"a":'.repeat(depth)}{}${"}}".repeat(depth)}`;
    const requestedSchema = JSON.parse(nested) as JsonObject;
    expect(parseElicitation({ message, requestedSchema })).toEqual({ invalid: "it is nested too deep" });
  });

  it("rejects a form with more than a thousand fields", () => {
    const form = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `f${at}`);
      const properties = Object.fromEntries(names.map((name) => [name, { type: "boolean" }]));
      return parseElicitation({ message, requestedSchema: { type: "object", properties, required: names } });
    };
    expect(form(1000)).toHaveProperty("fields");
    expect(form(1001)).toEqual({ invalid: "it has more than 1000 fields" });
  });

  it.each<[string, (chars: number) => JsonObject]>([
    ["message", (chars) => ({ message: "m".repeat(chars), requestedSchema: { properties: {} } })],
    [
      "field",
      (chars) => ({ message, requestedSchema: { properties: { a: { type: "string", title: "t".repeat(chars) } } } }),
    ],
    [
      "list of choices",
      (chars) => {
        const choices = Array.from({ length: chars / 10 }, (_, at) => `choice${at}`);
        return { message, requestedSchema: { properties: { a: { type: "string", enum: choices } } } };
      },
    ],
    ["URL", (chars) => ({ mode: "url", message, url: `https://example.com/${"u".repeat(chars)}` })],
  ])("rejects a request with a %s that nobody could read", (_, request) => {
    expect(parseElicitation(request(50_000))).toHaveProperty("mode");
    expect(parseElicitation(request(200_000))).toEqual({ invalid: "it is longer than 131072 characters" });
  });

  function read(requestedSchema: JsonObject): readonly FormField[] {
    const elicitation = parseElicitation({ message, requestedSchema: { type: "object", ...requestedSchema } });
    if (!("fields" in elicitation)) throw new Error(`expected a form, got ${JSON.stringify(elicitation)}`);
    return elicitation.fields;
  }
});
