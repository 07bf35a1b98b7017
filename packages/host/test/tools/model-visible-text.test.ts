import { toProviderFormat, originLabel } from "#tools/provider-tool-formats.js";
import { modelVisibleText } from "#tools/model-visible-text.js";
import { sanitize } from "@plugboard/contracts";
import type { Json, JsonObject, OfferedTool } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("modelVisibleText", () => {
  it("lists every text of a tool with its path", { meta: { covers: ["A4"] } }, () => {
    const tool = offered({
      title: "Reader",
      description: "Reads",
      inputSchema: {
        type: "object",
        properties: {
          path: { type: "string", title: "Where", description: "The file", enum: ["a", "b"], default: "a" },
          deep: { type: "array", items: { anyOf: [{ const: "c" }, { description: "nested" }] }, "x-note": "unknown" },
        },
        required: ["path"],
        $defs: { type: { examples: [{ "read this": "too" }] } },
      },
      outputSchema: { description: "what comes back" },
      annotations: { title: "Reads files", readOnlyHint: true },
    });
    expect(modelVisibleText(tool).map(({ path, text }) => `${path}: ${text}`)).toEqual([
      "name: mcp__a__read",
      "tool: read",
      'origin: (tool "read" of MCP server "a")',
      "title: Reader",
      "description: Reads",
      "inputSchema.type: object",
      "inputSchema.properties.path: path",
      "inputSchema.properties.deep: deep",
      "inputSchema.properties.path.type: string",
      "inputSchema.properties.path.title: Where",
      "inputSchema.properties.path.description: The file",
      "inputSchema.properties.path.enum.0: a",
      "inputSchema.properties.path.enum.1: b",
      "inputSchema.properties.path.default: a",
      "inputSchema.properties.deep.x-note: x-note",
      "inputSchema.properties.deep.type: array",
      "inputSchema.properties.deep.items.anyOf.0.const: c",
      "inputSchema.properties.deep.items.anyOf.1.description: nested",
      "inputSchema.properties.deep.x-note: unknown",
      "inputSchema.required.0: path",
      "inputSchema.$defs.type: type",
      "inputSchema.$defs.type.examples.0.read this: read this",
      "inputSchema.$defs.type.examples.0.read this: too",
      "outputSchema.description: what comes back",
      "annotations.readOnlyHint: readOnlyHint",
      "annotations.title: Reads files",
    ]);
  });

  describe("hidden characters", { meta: { covers: ["A4"] } }, () => {
    it.each([
      ["tag characters", "\u{e0048}\u{e0049}", "<U+E0048><U+E0049>"],
      ["zero-width characters", "a\u200bb", "a<U+200B>b"],
      ["bidirectional controls", "a\u202eb", "a<U+202E>b"],
      ["escape characters", "\u001b[2J", "<U+001B>[2J"],
      ["lone surrogates", "\ud800", "<U+D800>"],
    ])("makes %s visible in a description, a parameter name and a default", (_, hidden, visible) => {
      const seen = modelVisibleText(
        offered({ description: hidden, inputSchema: { properties: { [hidden]: { default: hidden } } } }),
      );
      expect(seen).toContainEqual({ path: "description", text: visible });
      expect(seen).toContainEqual({ path: `inputSchema.properties.${visible}`, text: visible });
      expect(seen).toContainEqual({ path: `inputSchema.properties.${visible}.default`, text: visible });
    });
  });

  it("includes every text that a model gets, for any generated tool", { meta: { covers: ["A4"] } }, () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("object", "type", "properties", "\u{e0041}", "\u200b", "\ud800", "👩‍💻"),
    );
    const keyword = fc.constantFrom(
      ...["type", "properties", "items", "anyOf", "allOf", "$ref", "$defs", "enum", "const", "default", "description"],
      ...["title", "required", "pattern", "patternProperties", "examples", "format", "x-own", "dependentRequired"],
    );
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: "medium" },
        text,
        fc.constantFrom<Json>("#", "#/$defs/a", 1, true, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(keyword, text), tie("value"), { maxKeys: 4 }),
      ),
    }));
    const schema = fc.dictionary(keyword, value, { maxKeys: 6 });
    fc.assert(
      fc.property(text, text, schema, (description, tool, inputSchema) => {
        const one = offered({ description, tool, inputSchema });
        const seen = new Set(modelVisibleText(one).map(({ text }) => text));
        const origin = originLabel(one)!;
        expect(seen).toContain(origin);
        const [sent] = toProviderFormat("anthropic", [one]);
        const ownText = sent!.description.slice(0, -origin.length).replace(/ $/, "");
        if (ownText !== "") expect(seen).toContain(sanitize(ownText));
        expect(seen).toContain(sent!.name);
        const [own, words] = stringsIn(sent!.input_schema);
        // Leaves out texts of the host itself and keywords of JSON Schema.
        for (const one of own.filter((text) => text !== "object" && text !== "")) expect(seen).toContain(sanitize(one));
        for (const one of words) expect(seen.has(sanitize(one)) || VOCABULARY.has(one), one).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("includes every text of a deep and large tool", () => {
    let inputSchema: JsonObject = { description: "at the end" };
    for (let level = 0; level < 3_000; level++) inputSchema = { properties: { a: inputSchema } };
    const many = Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`k${index}`, "x"]));
    const seen = modelVisibleText(offered({ inputSchema, outputSchema: { default: many } }));
    expect(seen.some(({ text }) => text === "at the end")).toBe(true);
    expect(seen.at(-1)).toEqual({ path: "outputSchema.default.k129999", text: "x" });
    expect(Math.max(...seen.slice(0, 10_000).map(({ path }) => path.length))).toBeLessThan(300);
  });
});

const VOCABULARY = new Set([
  ...["type", "properties", "items", "anyOf", "allOf", "$ref", "$defs", "enum", "const", "default", "description"],
  ...["title", "required", "pattern", "patternProperties", "examples", "format", "dependentRequired"],
  ...["additionalProperties", "prefixItems", "not"],
]);

/** Returns all inner keys and values. */
function stringsIn(value: Json | undefined): [values: string[], keys: string[]] {
  if (typeof value === "string") return [[value], []];
  if (typeof value !== "object" || value === null) return [[], []];
  const inner = Object.values(value).map(stringsIn);
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return [inner.flatMap(([values]) => values), [...keys, ...inner.flatMap(([, keys]) => keys)]];
}

function offered(fields: Partial<OfferedTool>): OfferedTool {
  const pair = { name: "mcp__a__read", server: "a", tool: "read", origin: "mcp" } as const;
  return { ...pair, pin: "0", description: "", inputSchema: {}, ...fields };
}
