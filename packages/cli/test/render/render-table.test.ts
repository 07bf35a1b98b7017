import { layOutTable, renderTable } from "#render/render-table.js";
import type { Cell, TableOptions } from "#render/render-table.js";
import { plainText, styled } from "#terminal/text.js";
import { describe, expect, it } from "vitest";

it("renderTable aligns columns to their widest cell, two spaces apart, without trailing spaces", () => {
  const rows = [
    ["files", "ready", ""],
    ["a", "auth_required", "x"],
  ];
  expect(renderTable(["SERVER", "STATE", "NOTE"], rows)).toBe(
    ["SERVER  STATE          NOTE", "files   ready", "a       auth_required  x", ""].join("\n"),
  );
});

it("renderTable shows only the head without rows", () => {
  expect(renderTable(["SERVER", "STATE"], [])).toBe("SERVER  STATE\n");
});

it("renderTable sanitizes each row to one line", { meta: { covers: ["A7"] } }, () => {
  const rows = [
    ["a\nb", "\x1b[2J"],
    ["c\td", "x\u202ey"],
  ];
  expect(renderTable(["A", "B"], rows)).toBe("A    B\na⏎b  <U+001B>[2J\nc d  x<U+202E>y\n");
});

it("renderTable counts the columns of the terminal, not UTF-16 units", () => {
  expect(
    renderTable(
      ["A", "B"],
      [
        ["😀", "x"],
        ["abc", "y"],
      ],
    ),
  ).toBe("A    B\n😀   x\nabc  y\n");
});

it("renderTable accepts more rows than a function call accepts arguments", () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index)]);
  expect(renderTable(["A"], rows).split("\n")).toHaveLength(200_002);
});

describe("layOutTable", () => {
  const head = ["SERVER", "STATE", "PID"];
  const render = (rows: Cell[][], options: TableOptions) => {
    const table = layOutTable(head, rows, options);
    return plainText([table.head, ...rows.map((row) => table.row(row))]);
  };

  it("leaves out optional columns until the table fits the terminal", () => {
    const rows = [["files", "ready", "1234567"]];
    expect(render(rows, { columns: 80, optional: ["PID"] })).toBe("SERVER  STATE  PID\nfiles   ready  1234567\n");
    expect(render(rows, { columns: 20, optional: ["PID"] })).toBe("SERVER  STATE\nfiles   ready\n");
  });

  it("cuts a row that is still too wide", () => {
    expect(render([["a-long-name", "ready", "1"]], { columns: 12 })).toBe("SERVER    …\na-long-nam…\n");
  });

  it("keeps room for values that are not known yet", () => {
    const table = layOutTable(head, [], { minWidths: { STATE: 13 } });
    expect(plainText(table.row(["a", "auth_required", "7"]))).toBe("a       auth_required  7\n");
    expect(plainText(table.row(["b", "ready", "8"]))).toBe("b       ready          8\n");
  });

  it("keeps the style of a cell, and sanitizes its text", { meta: { covers: ["A7"] } }, () => {
    const table = layOutTable(head, []);
    expect(table.row(["a", styled("green", "re\nady"), "7"])).toContainEqual([styled("green", "re⏎ady"), "  "]);
  });
});
