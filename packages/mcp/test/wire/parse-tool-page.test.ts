import { parseToolPage } from "#wire/parse-tool-page.js";
import type { Json } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const schema = { type: "object", properties: { path: { type: "string" } } };

describe("parseToolPage", () => {
  it("parses all fields of a tool", { meta: { covers: ["R0.80", "R1.26"] } }, () => {
    const tool = {
      name: "read file/é",
      title: "Read",
      description: "Reads a file.",
      inputSchema: schema,
      outputSchema: { type: "string" },
      annotations: {
        title: "R",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    };
    expect(parseToolPage({ tools: [tool], nextCursor: "p2" })).toStrictEqual({
      tools: [tool],
      dropped: [],
      nextCursor: "p2",
    });
  });

  it("parses a tool with the required fields only", { meta: { covers: ["R1.26"] } }, () => {
    expect(parseToolPage({ tools: [{ name: "a", inputSchema: schema }] })).toStrictEqual({
      tools: [{ name: "a", inputSchema: schema }],
      dropped: [],
    });
  });

  describe("tool without a name", { meta: { covers: ["R3.77"] } }, () => {
    it.each<[string, Json, string]>([
      ["no name", { inputSchema: schema }, "it has no name"],
      ["an empty name", { name: "", inputSchema: schema }, "it has no name"],
      ["a name that is no string", { name: 7, inputSchema: schema }, "it has no name"],
      ["a string", "read", "it is not an object"],
      ["null", null, "it is not an object"],
      ["a list", [], "it is not an object"],
    ])("is dropped with its position and a reason: %s", (_, bad, reason) => {
      const page = parseToolPage({
        tools: [{ name: "a", inputSchema: schema }, bad, { name: "b", inputSchema: schema }],
      });
      expect(page?.tools.map(({ name }) => name)).toEqual(["a", "b"]);
      expect(page?.dropped).toEqual([{ name: "#2", reason }]);
    });
  });

  it("drops a tool whose name is too long", () => {
    const page = parseToolPage({ tools: [{ name: "x".repeat(1001) }, { name: "x".repeat(1000) }] });
    expect(page?.tools).toHaveLength(1);
    expect(page?.dropped).toEqual([{ name: `${"x".repeat(100)}…`, reason: "its name is over 1000 characters" }]);
  });

  it("drops only the tool whose schema is nested too deep", { meta: { covers: ["R2.131"] } }, () => {
    const deep = JSON.parse(`${'{"items":'.repeat(3000)}1${"}".repeat(3000)}`) as Json;
    const page = parseToolPage({
      tools: [
        { name: "bad", inputSchema: deep },
        { name: "good", inputSchema: schema },
      ],
    });
    expect(page?.tools.map(({ name }) => name)).toEqual(["good"]);
    expect(page?.dropped).toEqual([{ name: "bad", reason: "its schema is nested more than 500 deep" }]);
  });

  it("names the first hundred malformed tools and counts the others", () => {
    const page = parseToolPage({ tools: Array.from({ length: 1_000_000 }, () => 0) });
    expect(page?.dropped).toHaveLength(100);
    expect(page?.unnamedCount).toBe(999_900);
  });

  it.each<[string, Json | undefined]>([
    ["missing", undefined],
    ["null", null],
    ["true", true],
    ["a list", []],
  ])(
    "replaces a schema that is %s with one that accepts any object",
    { meta: { covers: ["R2.130"] } },
    (_, inputSchema) => {
      expect(parseToolPage({ tools: [{ name: "a", inputSchema: inputSchema! }] })?.tools).toEqual([
        { name: "a", inputSchema: { type: "object", additionalProperties: true } },
      ]);
    },
  );

  it("drops the fields of a tool that have the wrong type", () => {
    const tool = {
      name: "a",
      inputSchema: schema,
      title: 1,
      description: ["x"],
      outputSchema: "string",
      annotations: { title: 1, readOnlyHint: "yes", destructiveHint: true, unknownHint: true },
    };
    expect(parseToolPage({ tools: [tool] })?.tools).toStrictEqual([
      { name: "a", inputSchema: schema, annotations: { destructiveHint: true } },
    ]);
  });

  it.each<[string, Json | undefined]>([
    ["absent", undefined],
    ["null", null],
    ["a number", 2],
    ["empty", ""],
  ])("treats a cursor that is %s as the end of the list", (_, nextCursor) => {
    expect(parseToolPage({ tools: [], nextCursor })).not.toHaveProperty("nextCursor");
  });

  it.each<[string, Json | undefined]>([
    ["absent", undefined],
    ["null", null],
    ["an object", { a: {} }],
  ])("returns undefined if the list is %s", (_, tools) => {
    expect(parseToolPage({ tools })).toBeUndefined();
  });
});
