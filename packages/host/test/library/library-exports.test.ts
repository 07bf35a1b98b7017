/** Tests the values that the library exports. */
import { readFileSync } from "node:fs";
import * as library from "@plugboard/host";
import { describe, expect, it } from "vitest";

describe("@plugboard/host", () => {
  it("exports only the values that a program needs", () => {
    expect(Object.keys(library).toSorted()).toEqual([
      "VERSION",
      "createHost",
      "editConfig",
      "isHostError",
      "toAgentStatus",
      "toPrometheus",
    ]);
  });

  it("exports the version of its package", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(library.VERSION).toBe(manifest.version);
  });
});
