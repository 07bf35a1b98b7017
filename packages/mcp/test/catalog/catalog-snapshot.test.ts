import { decodeSnapshot, encodeSnapshot } from "@plugboard/mcp";
import type { CatalogSnapshot } from "@plugboard/mcp";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const tool = (name: string) => ({ name, description: "d", inputSchema: { type: "object" } });
const whole: CatalogSnapshot = {
  tools: { tools: [tool("a"), tool("b")], dropped: [] },
  resources: { items: [{ uri: "a:1", name: "one" }], dropped: [] },
  templates: { items: [{ uriTemplate: "a:{n}", name: "any" }], dropped: [] },
  prompts: { items: [{ name: "p", arguments: [{ name: "x", required: true }] }], dropped: [] },
};

describe("a snapshot", () => {
  it("comes back as it was", () => {
    expect(decodeSnapshot(encodeSnapshot(whole))).toEqual(whole);
  });

  it("does not know what nobody had asked for", () => {
    const { tools } = whole;
    expect(decodeSnapshot(encodeSnapshot({ tools }))).toEqual({ tools });
  });

  it("says nothing of what could not be used then, nor how long it was good", () => {
    const tools = { tools: [tool("a")], dropped: [{ tool: "#2", reason: "it has no name" }], ttlMs: 5 };
    expect(decodeSnapshot(encodeSnapshot({ tools }))).toEqual({ tools: { tools: [tool("a")], dropped: [] } });
  });

  it.each([
    ["nothing", ""],
    ["half of it", encodeSnapshot(whole).slice(0, 100)],
    ["something else", "[1]"],
    ["no object", "null"],
    ["a version to come", encodeSnapshot(whole).replace('"version":1', '"version":2')],
    ["no version", encodeSnapshot(whole).replace('"version":1,', "")],
    ["no tools", '{"version":1}'],
    ["no list of tools", '{"version":1,"tools":{}}'],
  ])("that is %s is none", (_, text) => {
    expect(decodeSnapshot(text)).toBeUndefined();
  });

  it("is read as carefully as what a server says", () => {
    const damaged = {
      version: 1,
      tools: [null, { name: 5 }, tool("a")],
      resources: "gone",
      prompts: [{}, { name: "p" }],
    };
    expect(decodeSnapshot(JSON.stringify(damaged))).toEqual({
      tools: { tools: [tool("a")], dropped: [] },
      prompts: { items: [{ name: "p" }], dropped: [] },
    });
  });

  it("never throws, whatever the file has become", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.string(), (at, byte, instead) => {
        const bytes = Buffer.from(encodeSnapshot(whole));
        bytes[at % bytes.length] = byte;
        decodeSnapshot(bytes.toString());
        decodeSnapshot(instead);
      }),
    );
  });
});
