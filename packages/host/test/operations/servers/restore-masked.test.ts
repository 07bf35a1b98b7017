import { restoreMasked } from "#operations/servers/restore-masked.js";
import { describe, expect, it } from "vitest";

describe("restoreMasked", () => {
  const original = { command: "run", args: ["--token", "abc", "x"], env: { KEY: "secret", PLAIN: "1" } };
  const masked = { command: "run", args: ["--token", "***", "x"], env: { KEY: "***", PLAIN: "***" } };

  it("replaces unchanged masks with the original values, and keeps edited values", () => {
    const edited = { command: "run", args: ["--token", "***", "y"], env: { KEY: "***", NEW: "2" } };
    expect(restoreMasked(edited, masked, original)).toEqual({
      command: "run",
      args: ["--token", "abc", "y"],
      env: { KEY: "secret", NEW: "2" },
    });
    expect(restoreMasked(masked, masked, original)).toEqual(original);
  });

  it("rejects a mask that stands for no value", () => {
    expect(() => restoreMasked({ env: { OTHER: "***" } }, masked, original)).toThrow(/type a masked value/);
    expect(() => restoreMasked({ args: ["***"] }, undefined, undefined)).toThrow(/type a masked value/);
  });
});
