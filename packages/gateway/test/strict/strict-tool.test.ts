/** Tests how definitions of tools are repaired for clients of old and new revisions. */
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import { strictTool } from "#strict/strict-tool.js";
import { describe, expect, it } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const tool = (fields: JsonObject) => ({ name: "inner", ...fields }) as unknown as Tool;
const inputOf = (inputSchema: Json, revision: string) =>
  strictTool("t", tool({ inputSchema }), revisionNamed(revision))["inputSchema"];

describe("strictTool", () => {
  it.each(["2024-11-05", "2025-06-18", "2026-07-28"])("adds the missing type of an input schema for %s", (revision) => {
    expect(inputOf({ properties: {} }, revision)).toEqual({ type: "object", properties: {} });
    expect(inputOf({ type: ["object", "null"] }, revision)).toEqual({ type: "object" });
  });

  it("replaces a property schema that is true or false by an object, for older revisions only", () => {
    const schema = { type: "object", properties: { a: true, b: false, c: { type: "string" } } };
    const properties = { a: {}, b: { not: {} }, c: { type: "string" } };
    expect(inputOf(schema, "2025-11-25")).toEqual({ type: "object", properties });
    expect(inputOf(schema, "2026-07-28")).toBe(schema);
  });

  it("drops names in required that are not strings, for older revisions", () => {
    expect(inputOf({ type: "object", required: ["a", 1] }, "2025-11-25")).toMatchObject({ required: ["a"] });
    expect(inputOf({ type: "object", required: "a" }, "2025-11-25")).not.toHaveProperty("required");
  });

  it("leaves out an output schema of another type than object, for older revisions only", () => {
    const definition = tool({ inputSchema: { type: "object" }, outputSchema: { type: "array" } });
    expect(strictTool("t", definition, revisionNamed("2025-11-25"))).not.toHaveProperty("outputSchema");
    expect(strictTool("t", definition, revisionNamed("2026-07-28"))).toMatchObject({ outputSchema: { type: "array" } });
  });

  it.each(["2024-11-05", "2025-11-25", "2026-07-28"])("keeps an output schema of type object for %s", (revision) => {
    const outputSchema = { type: "object", properties: { a: { type: "string" } } };
    const definition = tool({ inputSchema: { type: "object" }, outputSchema });
    expect(strictTool("t", definition, revisionNamed(revision))).toMatchObject({ outputSchema });
  });

  it.each(["2025-11-25", "2026-07-28"])("leaves out a $schema that is no string for %s", (revision) => {
    const schema = { $schema: 1, type: "object", properties: {} };
    const definition = tool({ inputSchema: schema, outputSchema: schema });
    const repaired = { type: "object", properties: {} };
    expect(strictTool("t", definition, revisionNamed(revision))).toMatchObject({
      inputSchema: repaired,
      outputSchema: repaired,
    });
    expect(strictTool("t", definition, revisionNamed(revision))["inputSchema"]).not.toHaveProperty("$schema");
  });

  it.each<[JsonObject]>([
    [{}],
    [{ taskSupport: "forbidden" }],
    [{ taskSupport: "optional" }],
    [{ taskSupport: "required" }],
  ])("keeps the execution %j", (execution) => {
    const definition = tool({ inputSchema: { type: "object" }, execution });
    expect(strictTool("t", definition, revisionNamed())).toMatchObject({ execution });
  });

  it.each<[string, Json]>([
    ["icons", [{ src: 1 }]],
    ["icons", [{ src: "https://example.com/a", sizes: "48x48" }]],
    ["_meta", "x"],
    ["execution", { taskSupport: "sometimes" }],
    ["annotations", { title: 1 }],
  ])("leaves out an invalid field %s: %j", (field, value) => {
    const definition = tool({ inputSchema: { type: "object" }, [field]: value, unknown: 1 });
    expect(strictTool("t", definition, revisionNamed("2025-11-25"))).toEqual({
      name: "t",
      inputSchema: { type: "object" },
      unknown: 1,
    });
  });
});
