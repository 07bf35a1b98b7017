import { replaceText } from "#native/files/replace-text.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("replaceText", () => {
  const once = { all: false };

  it("replaces the only occurrence, and treats $ in the new text as a plain character", () => {
    expect(replaceText("a b c", { oldText: "b", newText: "$&$1", ...once })).toEqual({ text: "a $&$1 c", count: 1 });
  });

  it("returns the number of occurrences if the text does not occur exactly once", () => {
    expect(replaceText("a", { oldText: "b", newText: "", ...once })).toEqual({ occurrences: 0 });
    expect(replaceText("b b", { oldText: "b", newText: "", ...once })).toEqual({ occurrences: 2 });
    expect(replaceText("b b", { oldText: "b", newText: "x", all: true })).toEqual({ text: "x x", count: 2 });
  });

  it("finds text with LF in a text with CRLF, and writes CRLF", () => {
    const replaced = replaceText("a\r\nb\r\nc\r\n", { oldText: "a\nb", newText: "x\ny\nz", ...once });
    expect(replaced).toEqual({ text: "x\r\ny\r\nz\r\nc\r\n", count: 1 });
  });

  it("changes no other line break in a text that has both LF and CRLF", () => {
    const replaced = replaceText("a\r\nb\r\nc\nd\n", { oldText: "a\nb", newText: "x\ny", ...once });
    expect(replaced).toEqual({ text: "x\r\ny\r\nc\nd\n", count: 1 });
  });

  it("never adds a bare LF to a text that has only CRLF", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, lines, (before, oldLines, newLines) => {
        const text = before.map((line) => `${line}\r\n`).join("");
        const replaced = replaceText(text, { oldText: oldLines.join("\n"), newText: newLines.join("\n"), all: true });
        if ("text" in replaced) expect(replaced.text).not.toMatch(/(?<!\r)\n/);
      }),
    );
  });
});
