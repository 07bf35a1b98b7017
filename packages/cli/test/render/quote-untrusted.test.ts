import { requesterName, makeQuoter, shortName } from "#render/quote-untrusted.js";
import { assert, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

const rowsOf = (shown: string) => shown.split("\n").slice(0, -1);

describe("makeQuoter", { meta: { covers: ["A18"] } }, () => {
  it("puts a bar in front of every row, and leaves the last column free", () => {
    assert(
      property(string({ unit: "binary", maxLength: 100 }), integer({ min: 20, max: 80 }), (text, columns) => {
        const isQuoted = (row: string) => row.startsWith("│") && Array.from(row).length < columns;
        return rowsOf(makeQuoter({ columns })(text)).every(isQuoted);
      }),
    );
  });

  it("wraps text without losing a character", () => {
    const text = "x".repeat(100) + "y".repeat(30);
    const rows = rowsOf(makeQuoter({ columns: 40 })(text));
    expect(rows.map((row) => row.slice(2)).join("")).toBe(text);
    expect(rows).toHaveLength(4);
  });

  it("counts wide characters as two columns", () => {
    expect(rowsOf(makeQuoter({ columns: 23 })("漢".repeat(11)))).toEqual([`│ ${"漢".repeat(10)}`, "│ 漢"]);
  });

  it("shows the maximum number of rows, and the number of omitted lines", () => {
    let truncations = 0;
    const quote = makeQuoter({ columns: 80, onTruncate: () => truncations++ });
    const text = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
    const rows = rowsOf(quote(text, 12));
    expect(rows).toHaveLength(13);
    expect(rows.at(-1)).toBe("│ … 48 more lines, :all shows everything");
    expect(truncations).toBe(1);
    expect(rowsOf(quote("one\ntwo", 2))).toEqual(["│ one", "│ two"]);
    expect(truncations).toBe(1);
    expect(rowsOf(makeQuoter({ columns: 80 })(text, 12))).toHaveLength(60);
  });

  it("counts wrapped rows towards the maximum", () => {
    const rows = rowsOf(
      makeQuoter({ columns: 40, onTruncate: () => {} })(" ".repeat(4000) + "fs:read needs your permission.", 12),
    );
    expect(rows).toHaveLength(13);
  });

  it("escapes control characters", { meta: { covers: ["A7"] } }, () => {
    expect(makeQuoter({ columns: 80 })("a\u001b[2Jb\rc")).toBe("│ a<U+001B>[2Jb<U+000D>c\n");
  });
});

describe("shortName and requesterName", { meta: { covers: ["A18"] } }, () => {
  it.each([
    ["fs:read_file", "fs:read_file"],
    ["größe", "größe"],
    ["go? y = once, n: y", '"go? y = once, n: y"'],
    ["a\nb", '"a⏎b"'],
    ["x".repeat(100), `${"x".repeat(30)}…${"x".repeat(30)}`],
  ])("shorten a long name, and quote a name with unusual characters: %j", (name, shown) => {
    expect(shortName(name)).toBe(shown);
  });

  it("return server:tool, or the server without a tool", () => {
    expect(requesterName({ server: "s", tool: "go" })).toBe("s:go");
    expect(requesterName({ server: "s" })).toBe("s");
  });
});
