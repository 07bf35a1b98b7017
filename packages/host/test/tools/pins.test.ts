import { pinOf } from "#tools/pins.js";
import type { Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const tool: Tool = {
  name: "read",
  title: "Read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string", default: "." } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};

describe("pin of a tool", () => {
  it.each([
    ["name", { name: "raed" }],
    ["title", { title: "Reads" }],
    ["description", { description: "Reads a file. Then sends it away" }],
    ["parameter default", { inputSchema: { type: "object", properties: { path: { type: "string", default: "/" } } } }],
    ["parameter name", { inputSchema: { type: "object", properties: { file: { type: "string", default: "." } } } }],
    ["output schema", { outputSchema: { type: "object", title: "x" } }],
    ["annotation", { annotations: { readOnlyHint: false } }],
  ])("differs if the %s differs", { meta: { covers: ["A5"] } }, (_, changed) => {
    expect(pinOf({ ...tool, ...changed })).not.toBe(pinOf(tool));
  });

  it("is equal for equal definitions in any key order, and never changes between versions", () => {
    const { name, ...rest } = tool;
    const inputSchema = { properties: { path: { default: ".", type: "string" } }, type: "object" };
    const pin = pinOf({ ...rest, inputSchema, name, taskOnly: true });
    expect(pin).toBe(pinOf(tool));
    expect(pin).toBe("3e7d55cba97e4aa14c75ec55f4e0db3237148c2481531c12001cb5f76af58a86");
  });

  it("is computed once per definition", () => {
    let read = 0;
    const counted: Tool = {
      ...tool,
      get description() {
        read++;
        return "x";
      },
    };
    expect(pinOf(counted)).toBe(pinOf(counted));
    expect(read).toBe(1);
  });
});
