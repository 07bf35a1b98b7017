/** Tests the checks of arguments and results against the schemas of tools. */
import type { JsonObject, Tool } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { SchemaChecks } from "#calls/schemas/schema-checks.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const PATH: JsonObject = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tool = (inputSchema: JsonObject, outputSchema?: JsonObject): Tool => ({
  name: "t",
  inputSchema,
  ...(outputSchema && { outputSchema }),
});

let checks: SchemaChecks;

beforeEach(() => {
  checks = new SchemaChecks({ clock: systemClock });
});
afterEach(() => checks.close());

describe("SchemaChecks", () => {
  it("accepts arguments that match a simple schema synchronously, before Ajv is loaded", () => {
    expect(checks.arguments(tool(PATH), { path: "x" })).toEqual({ ok: true });
  });

  it("answers synchronously after Ajv is loaded, also for an equal copy of the schema", async () => {
    const missing = { ok: false, problems: [{ path: "path", message: "is missing" }] };
    const first = checks.arguments(tool(PATH), {});
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual(missing);
    expect(checks.arguments(tool(PATH), { path: "x" })).toEqual({ ok: true });
    expect(checks.arguments(tool(structuredClone(PATH)), {})).toEqual(missing);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "2020-12",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        properties: { a: { prefixItems: [{ type: "string" }] } },
      },
      { a: [1] },
    ],
    [
      "2019-09",
      { $schema: "https://json-schema.org/draft/2019-09/schema", properties: { a: { items: [{ type: "string" }] } } },
      { a: [1] },
    ],
    [
      "draft-07",
      { $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { items: [{ type: "string" }] } } },
      { a: [1] },
    ],
    [
      "draft-06",
      { $schema: "http://json-schema.org/draft-06/schema#", properties: { a: { exclusiveMinimum: 1 } } },
      { a: 1 },
    ],
    ["2020-12 by default", { properties: { a: { prefixItems: [{ type: "string" }] } } }, { a: [1] }],
  ])("checks a schema with dialect %s", async (_, schema, wrong) => {
    expect(await checks.arguments(tool(schema), wrong)).toMatchObject({ ok: false, problems: [{}] });
    expect(await checks.arguments(tool(schema), {})).toEqual({ ok: true });
  });

  it.each<[string, JsonObject, RegExp]>([
    ["the dialect draft-04", { $schema: "http://json-schema.org/draft-04/schema#" }, /dialect/],
    ["a reference to a web page", { $ref: "http://127.0.0.1:9/x.json" }, /refers to http/],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, /refers to file/],
    ["a dynamic reference without a target", { $dynamicRef: "https://x.invalid/#a" }, /./],
    ["an unknown type", { type: "object", properties: { a: { type: "text" } } }, /invalid/],
    ["a type other than object", { type: "string" }, /does not describe an object/],
  ])(
    "accepts any arguments if the schema can't be applied because of %s, and says why",
    { meta: { covers: ["A9"] } },
    async (_, schema, reason) => {
      const offered = tool(schema);
      const verdict = { ok: true, unchecked: expect.stringMatching(reason) };
      expect(await checks.arguments(offered, { a: "thing" })).toEqual(verdict);
      expect(checks.arguments(offered, { a: "thing" })).toEqual(verdict);
    },
  );

  it("keeps schemas of different tools apart that have the same $id", async () => {
    const $id = "https://example.com/shared";
    const numbers = tool({ $id, properties: { a: { type: "number" } } });
    const strings = tool({ $id, properties: { a: { type: "string" } } });
    const foreign = tool({ properties: { a: { $ref: $id } } });
    expect(await checks.arguments(numbers, { a: 1 })).toEqual({ ok: true });
    expect(await checks.arguments(strings, { a: 1 })).toMatchObject({ ok: false });
    expect(await checks.arguments(foreign, { a: 1 })).toMatchObject({ ok: true, unchecked: expect.any(String) });
  });

  it("compiles a schema again after the cache has dropped it", async () => {
    const few = new SchemaChecks({ clock: systemClock, cacheSize: 2 });
    const first = tool(PATH);
    await few.arguments(first, {});
    for (const title of ["a", "b", "c"]) await few.arguments(tool({ type: "object", title, minProperties: 0 }), {});
    expect(few.arguments(first, {})).toMatchObject({ ok: false });
  });

  it("checks structured content against the output schema", async () => {
    const offered = tool({}, { type: "object", properties: { n: { type: "number" } }, required: ["n"] });
    expect(await checks.result(offered, { n: 1 })).toEqual({ ok: true });
    expect(await checks.result(offered, { n: "1" })).toEqual({
      ok: false,
      problems: [{ path: "n", message: "must be a number, but is a string" }],
    });
    expect(checks.result(offered, undefined)).toEqual({
      ok: false,
      problems: [{ path: "structuredContent", message: "is missing, but the tool has an output schema" }],
    });
  });

  it("checks structured content that is not an object", async () => {
    const offered = tool({}, { type: "array", items: { type: "string" } });
    expect(await checks.result(offered, ["a"])).toEqual({ ok: true });
    expect(await checks.result(offered, null)).toMatchObject({ ok: false });
  });

  it("needs no structured content from a tool without an output schema", () => {
    expect(checks.result(tool(PATH), undefined)).toEqual({ ok: true });
    expect(checks.result(tool(PATH), { any: 1 })).toEqual({ ok: true });
  });
});
