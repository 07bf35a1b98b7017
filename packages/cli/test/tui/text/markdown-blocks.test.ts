import { describe, expect, it } from "vitest";
import { splitComplete } from "#tui/text/markdown-blocks.js";

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
