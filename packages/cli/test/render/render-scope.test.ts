import { describe, expect, it } from "vitest";
import { renderScope } from "#render/render-scope.js";

describe("renderScope", () => {
  it("says that a decision has lapsed, and why", () => {
    expect(renderScope({ scope: "always" })).toBe("always");
    expect(renderScope({ scope: "always", lapsed: true })).toBe("always, lapsed: the tool has changed");
  });
});
