import { renderSuggestions } from "#tui/view/render-input.js";
import { plainText } from "#terminal/text.js";
import { describe, expect, it } from "vitest";

const suggest = (count: number) => ({
  start: 0,
  end: 0,
  suggestions: Array.from({ length: count }, (_, index) => ({
    value: `/${"x".repeat(index + 1)}`,
    about: `command ${index}`,
    suffix: " ",
  })),
});

describe("renderSuggestions", () => {
  it("puts the descriptions into a column", () => {
    expect(renderSuggestions(suggest(2), 0, 60).map(plainText)).toEqual(["❯ /x   command 0", "  /xx  command 1"]);
  });

  it("shows the suggestions around the selected one, and how many follow", () => {
    const rows = (selected: number) => renderSuggestions(suggest(20), selected, 60).map(plainText);
    expect(rows(0)).toHaveLength(9);
    expect(rows(0).at(-1)).toBe("  … 12 more (↓)");
    expect(rows(12).find((row) => row.startsWith("❯"))).toContain("command 12");
    expect(rows(19).at(-1)).toMatch(/^❯ .*command 19$/);
  });

  it("makes control characters of servers visible", () => {
    const suggestions = [{ value: "/evil:\u001b[2J", suffix: "" }];
    expect(plainText(renderSuggestions({ start: 0, end: 0, suggestions }, 0, 60))).not.toContain("\u001b");
  });
});
