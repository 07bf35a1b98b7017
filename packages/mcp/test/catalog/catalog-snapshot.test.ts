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

describe("catalog snapshot", () => {
  it("decodes to the encoded lists", () => {
    expect(decodeSnapshot(encodeSnapshot(whole))).toEqual(whole);
  });

  it("has no entry for a list that was never listed", () => {
    const { tools } = whole;
    expect(decodeSnapshot(encodeSnapshot({ tools }))).toEqual({ tools });
  });

  it("stores neither dropped tools nor the ttl", () => {
    const tools = { tools: [tool("a")], dropped: [{ tool: "#2", reason: "it has no name" }], ttlMs: 5 };
    expect(decodeSnapshot(encodeSnapshot({ tools }))).toEqual({ tools: { tools: [tool("a")], dropped: [] } });
  });

  it.each([
    ["empty", ""],
    ["truncated", encodeSnapshot(whole).slice(0, 100)],
    ["an array", "[1]"],
    ["null", "null"],
    ["of a later version", encodeSnapshot(whole).replace('"version":1', '"version":2')],
    ["without a version", encodeSnapshot(whole).replace('"version":1,', "")],
    ["without tools", '{"version":1}'],
    ["without a list of tools", '{"version":1,"tools":{}}'],
  ])("decodes to undefined if it is %s", (_, text) => {
    expect(decodeSnapshot(text)).toBeUndefined();
  });

  it("drops malformed items, as for a page of a server", () => {
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

  it("never throws for any text", () => {
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
