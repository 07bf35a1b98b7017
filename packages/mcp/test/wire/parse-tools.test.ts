import { parseToolPage, parseToolResult } from "#wire/parse-tools.js";
import type { Json, JsonObject } from "@plugboard/contracts";
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

  it.each<[string, Json]>([
    ["of another type", { type: "array" }],
    ["of several other types", { type: ["string", "null"] }],
  ])("drops a tool whose input schema is %s", (_, inputSchema) => {
    expect(parseToolPage({ tools: [{ name: "a", inputSchema }] })).toEqual({
      tools: [],
      dropped: [{ name: "a", reason: "its input schema does not describe an object" }],
    });
  });

  it.each<[string, Json]>([
    ["without a type", {}],
    ["with a type that is null", { type: null }],
    ["of several types with object", { type: ["object", "null"] }],
  ])("keeps a tool whose input schema is %s", (_, inputSchema) => {
    expect(parseToolPage({ tools: [{ name: "a", inputSchema }] })?.tools).toEqual([{ name: "a", inputSchema }]);
  });

  it("drops the fields of a tool that have the wrong type, and keeps unknown ones", () => {
    const tool = {
      name: "a",
      inputSchema: schema,
      title: 1,
      description: ["x"],
      outputSchema: "string",
      icons: [{ src: "https://example.com/a.png" }],
      execution: { taskSupport: "optional" },
      _meta: { ui: { resourceUri: "ui://a" } },
      annotations: { title: 1, readOnlyHint: "yes", destructiveHint: true, unknownHint: true },
    };
    expect(parseToolPage({ tools: [tool] })?.tools).toStrictEqual([
      {
        name: "a",
        inputSchema: schema,
        annotations: { destructiveHint: true, unknownHint: true },
        icons: tool.icons,
        execution: tool.execution,
        _meta: tool._meta,
      },
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

describe("parseToolResult", () => {
  describe("valid result", { meta: { covers: ["R0.26", "R1.44", "R2.133", "R3.36"] } }, () => {
    it.each<[string, JsonObject]>([
      ["text", { content: [{ type: "text", text: "hi", annotations: { audience: ["user"] } }] }],
      ["content of an unknown type", { content: [{ type: "hologram", layers: [1, 2] }] }],
      ["no content", { content: [] }],
      ["isError true", { content: [{ type: "text", text: "no such file" }], isError: true }],
      ["isError false", { content: [], isError: false }],
      ["structured content beside text", { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } }],
      ["structured content that is null", { content: [], structuredContent: null }],
      ["structured content that is a list", { content: [], structuredContent: [1, "two"] }],
      ["_meta", { content: [], _meta: { "example.com/cost": 3 } }],
    ])("is returned unchanged with %s", (_, result) => {
      expect(parseToolResult(result)).toStrictEqual(result);
    });
  });

  it("has empty content if the server sent only structured content", () => {
    expect(parseToolResult({ structuredContent: { n: 1 } })).toStrictEqual({
      content: [],
      structuredContent: { n: 1 },
    });
  });

  it("drops unknown fields and fields of the wrong type", () => {
    const result = { content: [], isError: "no", _meta: "x", resultType: "complete", extra: 1 };
    expect(parseToolResult(result)).toStrictEqual({ content: [] });
  });

  describe("invalid result", { meta: { covers: ["R3.77"] } }, () => {
    it.each<[string, JsonObject]>([
      ["with neither content nor structured content", { isError: true }],
      ["with content that is no array", { content: "hi" }],
      ["with content that is null", { content: null, structuredContent: {} }],
      ["with a content block that is a string", { content: ["hi"] }],
      ["with a content block without a type", { content: [{ type: "text", text: "a" }, { text: "b" }] }],
      ["with a content block whose type is no string", { content: [{ type: 1 }] }],
    ])("returns undefined for a result %s", (_, result) => {
      expect(parseToolResult(result)).toBeUndefined();
    });
  });
});
