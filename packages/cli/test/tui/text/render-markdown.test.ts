import { describe, expect, it } from "vitest";
import { plainText } from "#terminal/text.js";
import { splitComplete } from "@plugboard/contracts/markdown";
import { renderMarkdown } from "#tui/text/render-markdown.js";

const plain = (markdown: string, columns = 60) => renderMarkdown(markdown, columns).map(plainText);

describe("renderMarkdown", () => {
  it("separates blocks by an empty row and keeps the items of a list together", () => {
    expect(plain("# Title\n\nSome *text*.\n- one\n- two\n\n1. first")).toEqual([
      "Title",
      "",
      "Some text.",
      "",
      "• one",
      "• two",
      "1. first",
    ]);
  });

  it("keeps the lines of code and does not interpret its marks", () => {
    expect(plain("```ts\nconst a = **b**;\n\n  x();\n```")).toEqual(["    const a = **b**;", "    ", "      x();"]);
  });

  it("shows the address of a link whose label names another one", () => {
    expect(plain("[https://good.example](https://evil.example/x)")).toEqual([
      "https://good.example (https://evil.example/x)",
    ]);
  });

  it("aligns tables and wraps long paragraphs at words", () => {
    expect(plain("| a | b |\n|---|--:|\n| long cell | 1 |\n| x | 100 |")).toEqual([
      "a            b",
      "─────────  ───",
      "long cell    1",
      "x          100",
    ]);
    expect(plain("one two three four five six", 20)).toEqual(["one two three four", "five six"]);
  });

  it("wraps the cells of a table that is too wide within their columns", () => {
    const rows = plain(`| name | text |\n|---|---|\n| a | ${"word ".repeat(10)} |\n| b | short |`, 30);
    expect(rows).toEqual([
      "name  text",
      "────  ───────────────────────",
      "a     word word word word",
      "      word word word word",
      "      word word",
      "b     short",
    ]);
  });

  it("keeps all columns of a table that is much too wide", () => {
    const cells = Array.from({ length: 8 }, (_, index) => `cell${index} with words`);
    const rows = plain(`| ${cells.join(" | ")} |\n|${"---|".repeat(8)}\n| ${cells.join(" | ")} |`, 60);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(60);
    for (const index of cells.keys()) expect(rows.join("").replaceAll(/\s/g, "")).toContain(`${index}`);
  });

  it("ends for a table with more columns than the terminal", () => {
    for (const [count, columns] of [
      [28, 80],
      [8, 20],
      [200, 10],
    ] as const) {
      const row = `|${"a|".repeat(count)}`;
      expect(plain(`${row}\n|${"-|".repeat(count)}\n${row}`, columns)).toHaveLength(3);
    }
  });

  it("shows tasks as boxes, and indents the further paragraphs of an item", () => {
    expect(plain("- [ ] open\n- [x] done\n\n  more about it\n\nand then")).toEqual([
      "☐ open",
      "☑ done",
      "",
      "  more about it",
      "",
      "and then",
    ]);
  });

  it("styles emphasis and code, and leaves unclosed marks as they are", () => {
    expect(renderMarkdown("a `b` **c** _d_ **open", 60)).toEqual([
      [
        "",
        "a ",
        { style: "cyan", text: "b" },
        " ",
        { style: "bold", text: "c" },
        " ",
        { style: "italic", text: "d" },
        " **open",
      ],
    ]);
  });

  it("makes escape sequences and bidi characters visible", { meta: { covers: ["A7"] } }, () => {
    const rows = plain("x\u001b[2Jy \u202ez `\u009b31m`");
    expect(rows).toEqual(["x<U+001B>[2Jy <U+202E>z <U+009B>31m"]);
  });

  it("renders a text with many unclosed marks in linear time", () => {
    const start = performance.now();
    renderMarkdown("*a [".repeat(20_000), 80);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe("splitComplete", () => {
  it("keeps the last block open, because it may still grow", () => {
    expect(splitComplete("one\n\ntwo")).toEqual({ done: "one\n", open: "\ntwo" });
  });

  it("keeps an unclosed code block and a growing list open", () => {
    expect(splitComplete("```\na\n\nb")).toEqual({ done: "", open: "```\na\n\nb" });
    expect(splitComplete("intro\n- a\n- b")).toEqual({ done: "intro\n", open: "- a\n- b" });
  });
});
