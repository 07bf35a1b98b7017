import { UnmetSchemas } from "#tools/unmet-schemas.js";
import type { Tool } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";

const tool = (name: string): Tool => ({ name, inputSchema: {}, outputSchema: { type: "object" } });

describe("UnmetSchemas", () => {
  it("remembers a tool for one server definition, until the tool's own definition changes", () => {
    const unmet = new UnmetSchemas();
    expect(unmet.has("d1", tool("a"))).toBe(false);
    unmet.add("d1", tool("a"));
    expect(unmet.has("d1", tool("a"))).toBe(true);
    expect(unmet.has("d2", tool("a"))).toBe(false);
    expect(unmet.has("d1", tool("b"))).toBe(false);
    expect(unmet.has("d1", { ...tool("a"), outputSchema: {} })).toBe(false);
  });

  it("calls its listeners once for each tool", () => {
    const unmet = new UnmetSchemas();
    const listener = vi.fn();
    const stop = unmet.onAdded(listener);
    unmet.add("d", tool("a"));
    unmet.add("d", tool("a"));
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
    unmet.add("d", tool("b"));
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("forgets the oldest of more than 10 000 tools", () => {
    const unmet = new UnmetSchemas();
    for (let index = 0; index <= 10_000; index++) unmet.add(`d${index}`, tool("a"));
    expect(unmet.has("d0", tool("a"))).toBe(false);
    expect(unmet.has("d1", tool("a"))).toBe(true);
    expect(unmet.has("d10000", tool("a"))).toBe(true);
  });
});
