import { Pins } from "#tools/pins.js";
import type { Tool } from "@plugboard/contracts";
import { expect, it } from "vitest";

const tool: Tool = {
  name: "read",
  title: "Read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string", default: "." } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};

it.each([
  ["name", { name: "raed" }],
  ["title", { title: "Reads" }],
  ["description", { description: "Reads a file. Then sends it away" }],
  ["parameter's default", { inputSchema: { type: "object", properties: { path: { type: "string", default: "/" } } } }],
  ["parameter's name", { inputSchema: { type: "object", properties: { file: { type: "string", default: "." } } } }],
  ["output schema", { outputSchema: { type: "object", title: "x" } }],
  ["hint", { annotations: { readOnlyHint: false } }],
])("is another when the %s is another", { meta: { covers: ["A5"] } }, (_, changed) => {
  const pins = new Pins();
  expect(pins.pinOf({ ...tool, ...changed })).not.toBe(pins.pinOf(tool));
});

it("is the same for the same definition, in whatever order it is written, and for ever: pins are stored", () => {
  const { name, ...rest } = tool;
  const inputSchema = { properties: { path: { default: ".", type: "string" } }, type: "object" };
  const pin = new Pins().pinOf({ ...rest, inputSchema, name, taskOnly: true });
  expect(pin).toBe(new Pins().pinOf(tool));
  expect(pin).toBe("3e7d55cba97e4aa14c75ec55f4e0db3237148c2481531c12001cb5f76af58a86");
});

it("is made once for each definition", () => {
  const pins = new Pins();
  let read = 0;
  const counted: Tool = {
    ...tool,
    get description() {
      read++;
      return "x";
    },
  };
  expect(pins.pinOf(counted)).toBe(pins.pinOf(counted));
  expect(read).toBe(1);
});
