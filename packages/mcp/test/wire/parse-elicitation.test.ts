import { parseElicitation } from "#wire/parse-elicitation.js";
import type { FormField, Json, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const message = "Please tell";

describe("a field is read in every published spelling:", () => {
  const red = { value: "r", title: "Red" };
  const green = { value: "g", title: "Green" };
  const plain = [
    { value: "r", title: "r" },
    { value: "g", title: "g" },
  ];

  it.each<[string, JsonObject, Partial<FormField>]>([
    ["text", { type: "string" }, { type: "string" }],
    [
      "text with bounds and a format",
      { type: "string", minLength: 3, maxLength: 9, format: "email" },
      { type: "string", minLength: 3, maxLength: 9, format: "email" },
    ],
    ["text in a format that nobody knows", { type: "string", format: "colour" }, { type: "string", format: "colour" }],
    ["number", { type: "number", minimum: 0.5, maximum: 2 }, { type: "number", minimum: 0.5, maximum: 2 }],
    ["integer", { type: "integer", minimum: 0 }, { type: "integer", minimum: 0 }],
    ["yes or no", { type: "boolean" }, { type: "boolean" }],
    ["one of some, bare", { type: "string", enum: ["r", "g"] }, { type: "choice", choices: plain }],
    [
      "one of some, with enumNames",
      { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      { type: "choice", choices: [red, green] },
    ],
    [
      "one of some, with too few enumNames",
      { type: "string", enum: ["r", "g"], enumNames: ["Red"] },
      { type: "choice", choices: [red, plain[1]!] },
    ],
    [
      "one of some, titled",
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
      "one of some, titled in part",
      { type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "g" }] },
      { type: "choice", choices: [red, plain[1]!] },
    ],
    [
      "several of some, bare",
      { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["r", "g"] } },
      { type: "choices", minItems: 1, maxItems: 2, choices: plain },
    ],
    [
      "several of some, titled",
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
  ])("%s", (_, schema, field) => {
    expect(read({ properties: { f: schema } })).toStrictEqual([{ name: "f", required: false, ...field }]);
  });

  it.each<[string, JsonObject, Json]>([
    ["text", { type: "string" }, ""],
    ["number", { type: "number" }, 0],
    ["yes or no", { type: "boolean" }, false],
    ["one of some", { type: "string", enum: ["r"] }, "r"],
    ["several of some", { type: "array", items: { type: "string", enum: ["r"] } }, ["r"]],
    ["something of the wrong type", { type: "integer" }, "seven"],
  ])("the default of %s is kept as it came", (_, schema, value) => {
    expect(read({ properties: { f: { ...schema, default: value } } })).toMatchObject([{ default: value }]);
  });

  it("title and description are kept where they are text", () => {
    const properties = {
      a: { type: "string", title: "A", description: "the first" },
      b: { type: "string", title: 1, description: null },
    };
    expect(read({ properties })).toStrictEqual([
      { name: "a", required: false, type: "string", title: "A", description: "the first" },
      { name: "b", required: false, type: "string" },
    ]);
  });

  it("bounds that are no numbers bind nobody", () => {
    expect(read({ properties: { f: { type: "string", minLength: "3", format: 7 } } })).toStrictEqual([
      { name: "f", required: false, type: "string" },
    ]);
  });
});

it("keeps the order of the fields and knows which are required", () => {
  const properties = { b: { type: "string" }, a: { type: "boolean" }, c: { type: "number" } };
  const fields = read({ properties, required: ["a", "c", "nowhere"] });
  expect(fields.map(({ name, required }) => [name, required])).toEqual([
    ["b", false],
    ["a", true],
    ["c", true],
  ]);
});

it("a form may be empty, may say that it is a form, and may be wrong about what is required", () => {
  const requestedSchema = { type: "object", properties: {}, required: "all" };
  expect(parseElicitation({ mode: "form", message, requestedSchema })).toStrictEqual({
    mode: "form",
    message,
    fields: [],
  });
});

describe("a URL", () => {
  it.each([["https://example.com/login?a=1#b"], ["http://localhost:3000"]])("%s may be visited", (url) => {
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
  ])("%j may not", (url) => {
    expect(parseElicitation({ mode: "url", message, url })).toEqual({ invalid: '"url" is not an http(s) URL' });
  });
});

describe("the server is told what it asked wrongly:", () => {
  const form = { requestedSchema: { type: "object", properties: {} } };

  it.each<[string, JsonObject, string]>([
    ["no message", form, '"message" is missing'],
    ["a message that is no text", { ...form, message: ["x"] }, '"message" is missing'],
    ["a mode that nobody knows", { ...form, message, mode: "voice" }, 'mode "voice" is unknown'],
    ["a mode that is no text", { ...form, message, mode: ["voice"] }, "mode (a list) is unknown"],
    ["a mode without end", { ...form, message, mode: "x".repeat(1e6) }, `mode "${"x".repeat(100)}…" is unknown`],
    ["no schema", { message }, '"requestedSchema" has no "properties"'],
    [
      "a schema without properties",
      { message, requestedSchema: { type: "object" } },
      '"requestedSchema" has no "properties"',
    ],
    ["properties in a list", { message, requestedSchema: { properties: [] } }, '"requestedSchema" has no "properties"'],
  ])("%s", (_, params, invalid) => {
    expect(parseElicitation(params)).toEqual({ invalid });
  });

  it.each<[string, Json]>([
    ["an object inside the form", { type: "object", properties: {} }],
    ["a list of free text", { type: "array", items: { type: "string" } }],
    ["a list of nothing", { type: "array" }],
    ["a list of numbers", { type: "array", items: { type: "number", enum: [1, 2] } }],
    ["a list whose choices are no text", { type: "array", items: { anyOf: [{ const: 1 }] } }],
    ["a list of texts and others", { type: "array", items: { enum: ["a", 1] } }],
    ["a list whose choices are nothing", { type: "array", items: { anyOf: [null] } }],
    ["several types at once", { type: ["string", "null"] }],
    ["null", { type: "null" }],
    ["no type", { title: "A" }],
    ["a schema that is true", true],
  ])("%s", (_, schema) => {
    const requestedSchema = { type: "object", properties: { ok: { type: "string" }, "odd one": schema } };
    expect(parseElicitation({ message, requestedSchema })).toEqual({
      invalid: 'field "odd one" has a schema that a form cannot show',
    });
  });
});

it("a form has at most a thousand fields", () => {
  const form = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "boolean" }]));
    return parseElicitation({ message, requestedSchema: { type: "object", properties, required: names } });
  };
  expect(form(1000)).toHaveProperty("fields");
  expect(form(1001)).toEqual({ invalid: "it has more than 1000 fields" });
});

function read(requestedSchema: JsonObject): readonly FormField[] {
  const elicitation = parseElicitation({ message, requestedSchema: { type: "object", ...requestedSchema } });
  if (!("fields" in elicitation)) throw new Error(`expected a form, got ${JSON.stringify(elicitation)}`);
  return elicitation.fields;
}
