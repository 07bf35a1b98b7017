import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText, styled } from "#terminal/text.js";
import { textColumns } from "#terminal/text-width.js";
import { wrapText } from "#tui/text/wrap-text.js";

describe("wrapText", () => {
  it("keeps the styles of the parts of a row", () => {
    expect(wrapText(["a ", styled("bold", "bb cc"), " d"], 14)).toEqual([
      ["", "a ", { style: "bold", text: "bb cc" }, " d"],
    ]);
  });

  it("indents further rows as far as the first", () => {
    expect(wrapText("aaaaaaaa bbbbbbbb", 12, { first: "• " }).map(plainText)).toEqual(["• aaaaaaaa", "  bbbbbbbb"]);
  });

  it("cuts a word that is longer than a row", () => {
    expect(wrapText("x".repeat(25), 10).map(plainText)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
  });

  it("never makes a row that is wider than the terminal", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 12, max: 100 }),
        (text, columns) => {
          for (const row of wrapText(text, columns)) expect(textColumns(plainText(row))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it("keeps every character except spaces at the ends of rows", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }).map((text) => text.replace(/[^ -~]/g, "")),
        (text) => {
          const joined = wrapText(text, 20).map(plainText).join("");
          expect(joined.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        },
      ),
    );
  });
});
