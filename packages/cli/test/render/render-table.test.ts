import { renderTable } from "#render/render-table.js";
import { expect, it } from "vitest";

it("aligns columns to their widest cell, two spaces apart, without spaces at the end", () => {
  const rows = [
    ["files", "ready", ""],
    ["a", "auth_required", "x"],
  ];
  expect(renderTable(["SERVER", "STATE", "NOTE"], rows)).toBe(
    ["SERVER  STATE          NOTE", "files   ready", "a       auth_required  x", ""].join("\n"),
  );
});

it("is its head alone without rows", () => {
  expect(renderTable(["SERVER", "STATE"], [])).toBe("SERVER  STATE\n");
});

it(
  "keeps each row on one line and makes it safe to show, however wide that makes it",
  { meta: { covers: ["A7"] } },
  () => {
    const rows = [
      ["a\nb", "\x1b[2J"],
      ["c\td", "x\u202ey"],
    ];
    expect(renderTable(["A", "B"], rows)).toBe("A    B\na⏎b  <U+001B>[2J\nc d  x<U+202E>y\n");
  },
);

it("counts characters, not their halves", () => {
  expect(
    renderTable(
      ["A", "B"],
      [
        ["😀", "x"],
        ["abc", "y"],
      ],
    ),
  ).toBe("A    B\n😀    x\nabc  y\n");
});

it("has room for more rows than a call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [String(at)]);
  expect(renderTable(["A"], rows).split("\n")).toHaveLength(200_002);
});
