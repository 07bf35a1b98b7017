import { LineSplitter } from "#transport/lines/line-splitter.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cutBytes } from "../../helpers/cut-bytes.ts";

it.each([
  ["two lines in one chunk", ["a\nb\n"], ["a", "b"]],
  ["a line in many chunks", ["a", "", "b", "c\n"], ["abc"]],
  ["a line feed in a chunk of its own", ["ab", "\n"], ["ab"]],
  ["the end of one line and the start of the next in one chunk", ["a", "b\nc", "d\n"], ["ab", "cd"]],
  ["empty lines", ["\n\n", "a\n\n"], ["", "", "a", ""]],
  ["a last line without a line feed", ["a\nb"], ["a"]],
  ["lines with carriage returns, which it keeps", ["a\r", "\nb\r\n"], ["a\r", "b\r"]],
])("LineSplitter splits %s", (_, pieces, lines) => {
  expect(
    split(
      pieces.map((piece) => Buffer.from(piece)),
      100,
    ).lines,
  ).toEqual(lines);
});

it(
  "LineSplitter returns the same lines wherever the chunks are split, even within a character",
  { timeout: 60_000 },
  () => {
    const text = fc.array(fc.oneof(fc.constantFrom("\n", "\r\n", "é", "😀"), fc.string({ unit: "binary" })));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (parts, cuts) => {
        const whole = parts.join("");
        const { lines, fits } = split(cutBytes(Buffer.from(whole), cuts), Number.MAX_SAFE_INTEGER);
        expect(lines).toEqual(whole.split("\n").slice(0, -1));
        expect(fits).toBe(true);
      }),
    );
  },
);

it("LineSplitter stops at the first line over the limit, even without a line feed, wherever the chunks are split", () => {
  const limit = 4;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "\n") }), fc.array(fc.nat()), (whole, cuts) => {
      const expectedLines = whole.split("\n");
      const tooLong = expectedLines.findIndex((line) => line.length > limit);
      const { lines, fits } = split(cutBytes(Buffer.from(whole), cuts), limit);
      expect(fits).toBe(tooLong < 0);
      expect(lines).toEqual(tooLong < 0 ? expectedLines.slice(0, -1) : expectedLines.slice(0, tooLong));
    }),
  );
});

it("LineSplitter counts bytes, not characters", () => {
  expect(split([Buffer.from("éé\n")], 4).fits).toBe(true);
  expect(split([Buffer.from("ééé\n")], 5).fits).toBe(false);
});

it("LineSplitter applies the limit to each line separately", () => {
  const pieces = Array.from({ length: 1000 }, () => Buffer.from("abc\nd"));
  expect(split(pieces, 4).lines).toHaveLength(1000);
});

it("LineSplitter does not keep the chunks, which may be small parts of large buffers", () => {
  const splitter = new LineSplitter(100);
  const lines: string[] = [];
  const reused = Buffer.alloc(1);
  for (const byte of Buffer.from("one by one\n")) {
    reused[0] = byte;
    splitter.push(reused, (line) => lines.push(line.toString("utf8")));
  }
  expect(lines).toEqual(["one by one"]);
});

function split(chunks: readonly Buffer[], limit: number): { lines: string[]; fits: boolean } {
  const splitter = new LineSplitter(limit);
  const lines: string[] = [];
  const fits = chunks.every((chunk) => splitter.push(chunk, (line) => lines.push(line.toString("utf8"))));
  return { lines, fits };
}
