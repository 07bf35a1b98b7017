import { renderSignature } from "#signatures/render-signature.js";
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const string = { type: "string" };

describe("renderSignature", () => {
  const schema = object(
    {
      mode: { enum: ["a", "b", "c", "d", "e"] },
      path: string,
      edits: { type: "array", items: object({ from: string, to: string }) },
    },
    { required: ["path"] },
  );

  it("puts required parameters first", () => {
    expect(renderSignature("edit", schema)).toBe(
      'edit(path: string, mode?: "a" | "b" | "c" | "d" | "e", edits?: {from?: string, to?: string}[])',
    );
    expect(renderSignature("now", {})).toBe("now()");
  });

  it.each([
    [70, 'edit(path: string, mode?: "a" | "b" | "c" | "d" | …, edits?: object[])'],
    [40, "edit(path: string, mode?, edits?)"],
    [25, "edit(path, mode?, edits?)"],
    [15, "edit(path, …)"],
    [8, "edit(pa…"],
  ])("leaves out details to fit %i columns", (width, text) => {
    expect(renderSignature("edit", schema, width)).toBe(text);
  });

  it("includes the parameters of allOf, and the parameters of anyOf as optional", () => {
    const combined: JsonObject = {
      allOf: [{ $ref: "#/$defs/base" }],
      anyOf: [object({ url: string }, { required: ["url"] }), object({ file: string }, { required: ["file"] })],
      $defs: { base: object({ id: string }, { required: ["id"] }) },
    };
    expect(renderSignature("get", combined)).toBe("get(id: string, url?: string, file?: string)");
  });

  it("shows a required parameter that has no schema", () => {
    expect(renderSignature("go", { required: ["x", 7] })).toBe("go(x: unknown)");
  });
});
