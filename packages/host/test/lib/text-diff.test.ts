import { textDiff } from "#lib/text-diff.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("textDiff", () => {
  it("shows changed lines with three lines of context and joins near changes", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const before = `${lines.join("\n")}\n`;
    const after = before.replace("line 5\n", "five\n").replace("line 7\n", "").replace("line 18\n", "line 18\nnew\n");
    expect(textDiff(before, after)).toBe(
      [
        "@@ -2,9 +2,8 @@",
        " line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n-line 7\n line 8\n line 9\n line 10",
        "@@ -16,5 +15,6 @@",
        " line 16\n line 17\n line 18\n+new\n line 19\n line 20",
      ].join("\n"),
    );
  });

  it("shows that the last line has no line break", () => {
    expect(textDiff("a\n", "a")).toBe("@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file");
  });

  it("returns an empty string for equal texts, and only added lines for a new file", () => {
    expect(textDiff("a\n", "a\n")).toBe("");
    expect(textDiff("", "a\nb\n")).toBe("@@ -0,0 +1,2 @@\n+a\n+b");
  });

  it("shows very different long texts as one removed and one added block", () => {
    const [before, after] = ["a", "b"].map((word) => Array.from({ length: 3000 }, (_, i) => `${word}${i}\n`).join(""));
    const diff = textDiff(before!, after!);
    expect(diff.split("\n")).toHaveLength(6001);
  });

  it("describes every change completely", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", "d\r"), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applyDiff(before, textDiff(before, after))).toBe(after);
      }),
    );
  });
});

/** Applies a diff of texts that end with a line break, and checks the removed lines. */
function applyDiff(before: string, diff: string): string {
  const source = before.split("\n").slice(0, -1);
  const result: string[] = [];
  let next = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const header = /^@@ -(\d+),(\d+) /.exec(line);
    if (header) {
      const start = Number(header[1]) - (header[2] === "0" ? 0 : 1);
      result.push(...source.slice(next, start));
      next = start;
    } else if (line.startsWith("+")) result.push(line.slice(1));
    else {
      expect(source[next++]).toBe(line.slice(1));
      if (line.startsWith(" ")) result.push(line.slice(1));
    }
  }
  return [...result, ...source.slice(next)].map((line) => `${line}\n`).join("");
}
