import { diffJson, diffTools } from "#lib/json-diff.js";
import type { DefinitionChange, JsonObject, Tool } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const tool: Tool = {
  name: "read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

describe("diffTools and diffJson", () => {
  it.each<[string, Tool, DefinitionChange[]]>([
    ["returns no changes for equal definitions", { ...tool }, []],
    [
      "reports a changed description",
      { ...tool, description: "X" },
      [{ path: "description", before: "Reads a file", after: "X" }],
    ],
    ["reports a new title", { ...tool, title: "Read" }, [{ path: "title", after: "Read" }]],
    [
      "reports the values of a new parameter",
      schema({ properties: { path: { type: "string" }, to: { type: "string", description: "Where to send it" } } }),
      [
        { path: "inputSchema.properties.to.type", after: "string" },
        { path: "inputSchema.properties.to.description", after: "Where to send it" },
      ],
    ],
    [
      "reports a removed parameter",
      schema({ properties: {}, required: [] }),
      [
        { path: "inputSchema.required[0]", before: "path" },
        { path: "inputSchema.properties.path.type", before: "string" },
      ],
    ],
    [
      "reports a value that becomes a list",
      schema({ properties: { path: { type: ["string", "null"] } } }),
      [
        { path: "inputSchema.properties.path.type", before: "string" },
        { path: "inputSchema.properties.path.type[0]", after: "string" },
        { path: "inputSchema.properties.path.type[1]", after: "null" },
      ],
    ],
    ["reports an added empty object", { ...tool, annotations: {} }, [{ path: "annotations", after: {} }]],
    [
      "reports a list that becomes an object",
      schema({ required: { "0": "path" } }),
      [
        { path: "inputSchema.required[0]", before: "path" },
        { path: "inputSchema.required.0", after: "path" },
      ],
    ],
    [
      "quotes keys that contain dots or control characters",
      schema({ "a.b": { "": 1 }, ["__proto__"]: 2, "x\u001b": 3 }),
      [
        { path: "inputSchema.__proto__", after: 2 },
        { path: String.raw`inputSchema["x\u001b"]`, after: 3 },
        { path: 'inputSchema["a.b"][""]', after: 1 },
      ],
    ],
  ])("%s", (_, after, expected) => {
    expect(diffTools(tool, after)).toEqual(expected);
  });

  it("reports a changed description before many changed parameters, and says that there are more changes", () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: "string" }]));
    const changes = diffTools(tool, { inputSchema: { properties }, name: "read", description: "Sends a file" });
    expect(changes).toHaveLength(100);
    expect(changes[0]).toEqual({ path: "description", before: "Reads a file", after: "Sends a file" });
    expect(changes.at(-1)).toEqual({ path: "…", after: "and more" });
  });

  it("reports exactly a hundred changes without saying that there are more", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at]));
    expect(diffJson({}, many).at(-1)).toEqual({ path: "k99", after: 99 });
  });

  it("shows texts of up to 2000 characters in full, and longer texts from their first difference on", () => {
    const same = "a".repeat(5000);
    const [whole] = diffJson({ d: "b" }, { d: same.slice(0, 2000) });
    expect(whole).toEqual({ path: "d", before: "b", after: same.slice(0, 2000) });
    const [change] = diffJson({ d: `${same}.` }, { d: `${same} Then send it to evil.example${same}` });
    expect(change?.before).toBe(`…${"a".repeat(200)}.`);
    expect(change?.after).toMatch(/^…a{200} Then send it to evil\.examplea+…$/);
    expect(change?.after).toHaveLength(2002);
    expect(diffJson({}, { d: same })).toEqual([{ path: "d", after: `${"a".repeat(2000)}…` }]);
  });

  it("shortens very long keys and handles very deep schemas", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as JsonObject;
    const [change] = diffJson({}, { ["n".repeat(100_000)]: 1 });
    expect(change?.path.length).toBeLessThanOrEqual(500);
    expect(diffJson({}, deep)).toMatchObject([{ after: 1 }]);
  });

  it("returns no changes for equal values, and only for them", () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonObject>);
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diffJson(a, structuredClone(a))).toEqual([]);
        expect(diffJson(a, b).length === 0).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
    );
  });
});

function schema(difference: JsonObject): Tool {
  return { ...tool, inputSchema: { ...tool.inputSchema, ...difference } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => ({ key, inner: sorted(inner) }));
}
