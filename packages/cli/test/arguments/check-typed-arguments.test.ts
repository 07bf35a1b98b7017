import { checkTypedArguments } from "#arguments/check-typed-arguments.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const schema: JsonObject = {
  properties: {
    path: { type: "string" },
    head: { type: "integer" },
    mode: { enum: ["fast", "slow"] },
    deep: { anyOf: [{ type: "boolean" }, { type: "null" }] },
  },
  required: ["path", "mode"],
};
const closed = { ...schema, additionalProperties: false };

describe("checkTypedArguments", () => {
  it("accepts arguments that match the schema", () => {
    const args = { path: "x", mode: "fast", deep: null };
    expect(checkTypedArguments(args, closed)).toEqual({ missing: [], problems: [], unknown: [] });
  });

  it("returns the missing parameters and all problems", () => {
    const { missing, problems } = checkTypedArguments({ head: 1.5, deep: 1, mode: "quick" }, schema);
    expect(missing.map(({ name }) => name)).toEqual(["path"]);
    expect(problems).toEqual([
      '"head" must be a whole number, not 1.5',
      '"deep" must be a boolean or null, not 1',
      '"mode" must be one of "fast", "slow", not "quick"',
    ]);
  });

  it.each<[string, Json, Json]>([
    ["a number", { type: "number" }, "many"],
    ["a boolean", { type: "boolean" }, "yes"],
    ["an object", { type: "object" }, "{a:1}"],
    ["a choice behind a reference", { $ref: "#/$defs/choice" }, "b"],
    ["a constant", { const: 1 }, 2],
  ])("reports a value that is not %s", (_, property, value) => {
    const root = { properties: { x: property }, $defs: { choice: { enum: ["a"] } } };
    expect(checkTypedArguments({ x: value }, root).problems).toEqual([expect.stringMatching(/^"x" must be .*not /)]);
  });

  it("shortens a long value", () => {
    const [problem] = checkTypedArguments({ head: "x".repeat(1000), path: "a", mode: "fast" }, schema).problems;
    expect(problem!.length).toBeLessThan(120);
  });

  it("does not check types that JSON Schema does not define, and leaves lists and objects in enums to the host", () => {
    const { problems } = checkTypedArguments(
      { a: 1, b: {} },
      { properties: { a: { type: "quaternion" }, b: { enum: [[1]] } } },
    );
    expect(problems).toEqual(['"b" must be a list, not {}']);
    expect(checkTypedArguments({ b: [2] }, { properties: { b: { enum: [[1]] } } }).problems).toEqual([]);
  });

  it("rejects an unknown name, and suggests the nearest one, if the schema is closed", () => {
    const { problems, unknown } = checkTypedArguments({ path: "x", mode: "fast", haed: 1, zebra: 1 }, closed);
    expect(problems).toEqual(['"haed" is unknown (did you mean "head"?)', '"zebra" is unknown']);
    expect(unknown).toEqual([]);
  });

  it("returns the names that an open schema does not have, each with the nearest name", () => {
    const { problems, unknown } = checkTypedArguments({ path: "x", mode: "fast", haed: 1, zebra: 1 }, schema);
    expect(problems).toEqual([]);
    expect(unknown).toEqual([
      { name: "haed", suggestion: "head" },
      { name: "zebra", suggestion: undefined },
    ]);
  });

  it("rejects a misspelled required name even if the schema is open", () => {
    const { missing, problems } = checkTypedArguments({ paht: "x", mode: "fast" }, schema);
    expect(missing.map(({ name }) => name)).toEqual(["path"]);
    expect(problems).toEqual(['"paht" is unknown (did you mean "path"?)']);
  });

  it("suggests no name that is already among the arguments", () => {
    const { unknown } = checkTypedArguments({ path: "x", paths: 1, mode: "fast" }, schema);
    expect(unknown).toEqual([{ name: "paths", suggestion: undefined }]);
  });

  it.each<[string, JsonObject]>([
    ["has no parameters", { type: "object" }],
    ["allows further arguments", { properties: { path: {} }, additionalProperties: { type: "string" } }],
    ["allows further arguments by pattern", { properties: { path: {} }, patternProperties: { "^x": {} } }],
  ])("expects unknown names if the schema %s", (_, open) => {
    expect(checkTypedArguments({ zebra: "1" }, open)).toMatchObject({ problems: [], unknown: [] });
  });
});
