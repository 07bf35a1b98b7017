import { renderTable } from "#render/render-table.js";
import { expect, it } from "vitest";

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
