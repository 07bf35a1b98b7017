import { describe, expect, it } from "vitest";
import { splitBlocks, splitComplete } from "#markdown/markdown-blocks.js";

describe("splitComplete", () => {
  const table = "| city | people |\n|---|---|\n| Rome | 2.8 |\n| Oslo | 0.7 |\n";

  it("keeps a table open while its rows arrive character by character", () => {
    for (let length = 1; length <= table.length; length += 1)
      expect(splitComplete(table.slice(0, length)).done, table.slice(0, length)).toBe("");
  });

  it("completes a table when the block after it begins", () => {
    expect(splitComplete(`${table}\n`)).toEqual({ done: "", open: `${table}\n` });
    expect(splitComplete(`${table}\nB`)).toEqual({ done: table, open: "\nB" });
    expect(splitComplete(`${table}# B`)).toEqual({ done: table, open: "# B" });
  });
});

describe("splitBlocks", () => {
  it("reads headings, paragraphs, items, code, quotes, tables and rules", () => {
    const source =
      "# Title #\n\nOne\ntwo\n\n- a\n- b\n\n1. c\n\n```js\nlet x;\n```\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---";
    expect(splitBlocks(source)).toEqual([
      { type: "heading", level: 1, text: "Title" },
      { type: "paragraph", indent: 0, text: "One two" },
      { type: "item", indent: 0, marker: "-", text: "a" },
      { type: "item", indent: 0, marker: "-", text: "b" },
      { type: "item", indent: 0, marker: "1.", text: "c" },
      { type: "code", language: "js", lines: ["let x;"], closed: true },
      { type: "quote", text: "quoted" },
      {
        type: "table",
        rows: [
          ["a", "b"],
          ["1", "2"],
        ],
        alignments: ["left", "left"],
      },
      { type: "rule" },
    ]);
  });

  it("reads a table without bars at the ends of its rows", () => {
    expect(splitBlocks("a | b\n--- | --:\n1 | 2\\|3")).toEqual([
      {
        type: "table",
        rows: [
          ["a", "b"],
          ["1", "2|3"],
        ],
        alignments: ["left", "right"],
      },
    ]);
  });

  it("reads lines that end with a carriage return", () => {
    expect(splitBlocks("```\r\na\r\n```\r\n- [x] b\r\n")).toEqual([
      { type: "code", language: "", lines: ["a"], closed: true },
      { type: "item", indent: 0, marker: "-", checked: true, text: "b" },
    ]);
  });
});
