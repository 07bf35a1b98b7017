import { groupLists } from "#format/markdown-lists.js";
import { splitBlocks } from "@plugboard/contracts/markdown";
import { describe, expect, it } from "vitest";

const group = (markdown: string) => groupLists(splitBlocks(markdown));

describe("groupLists", () => {
  it("makes one list of items in a row, and another where numbers begin", () => {
    expect(group("- a\n- [x] b\n3. c\n\ntext")).toEqual([
      {
        type: "list",
        start: undefined,
        items: [
          { text: "a", checked: undefined, lists: [] },
          { text: "b", checked: true, lists: [] },
        ],
      },
      { type: "list", start: 3, items: [{ text: "c", checked: undefined, lists: [] }] },
      { type: "paragraph", indent: 0, text: "text" },
    ]);
  });

  it("puts indented items into a list of the item before them", () => {
    expect(group("- a\n  - b\n    - c\n  - d\n- e")).toMatchObject([
      {
        items: [
          { text: "a", lists: [{ items: [{ text: "b", lists: [{ items: [{ text: "c" }] }] }, { text: "d" }] }] },
          { text: "e", lists: [] },
        ],
      },
    ]);
  });

  it("keeps items on the last level if they are nested too deeply", () => {
    const deep = Array.from({ length: 5000 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n");
    expect(JSON.stringify(group(deep)).match(/"x"/g)).toHaveLength(5000);
  });
});
