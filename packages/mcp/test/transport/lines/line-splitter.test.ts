import { LineSplitter } from "#transport/lines/line-splitter.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cutBytes } from "../../helpers/cut-bytes.ts";

it.each([
  ["lines in one piece", ["a\nb\n"], ["a", "b"]],
  ["a line in many pieces", ["a", "", "b", "c\n"], ["abc"]],
  ["an end of line alone in a piece", ["ab", "\n"], ["ab"]],
  ["an end and a beginning in one piece", ["a", "b\nc", "d\n"], ["ab", "cd"]],
  ["empty lines", ["\n\n", "a\n\n"], ["", "", "a", ""]],
  ["a last line that has not ended", ["a\nb"], ["a"]],
  ["carriage returns, which are left to the reader", ["a\r", "\nb\r\n"], ["a\r", "b\r"]],
])("%s", (_, pieces, lines) => {
  expect(
    split(
      pieces.map((piece) => Buffer.from(piece)),
      100,
    ).lines,
  ).toEqual(lines);
});

it("gives the same lines however the bytes are cut, also within a character", () => {
  const text = fc.array(fc.oneof(fc.constantFrom("\n", "\r\n", "é", "😀"), fc.string({ unit: "binary" })));
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (parts, cuts) => {
      const whole = parts.join("");
      const { lines, fits } = split(cutBytes(Buffer.from(whole), cuts), Number.MAX_SAFE_INTEGER);
      expect(lines).toEqual(whole.split("\n").slice(0, -1));
      expect(fits).toBe(true);
    }),
  );
});

it("stops at the first line over the limit, ended or not, however the bytes are cut", () => {
  const limit = 4;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "\n") }), fc.array(fc.nat()), (whole, cuts) => {
      const wanted = whole.split("\n");
      const tooLong = wanted.findIndex((line) => line.length > limit);
      const { lines, fits } = split(cutBytes(Buffer.from(whole), cuts), limit);
      expect(fits).toBe(tooLong < 0);
      expect(lines).toEqual(tooLong < 0 ? wanted.slice(0, -1) : wanted.slice(0, tooLong));
    }),
  );
});

it("counts bytes, not characters", () => {
  expect(split([Buffer.from("éé\n")], 4).fits).toBe(true);
  expect(split([Buffer.from("ééé\n")], 5).fits).toBe(false);
});

it("keeps no line that it has given out: the limit is for each line alone", () => {
  const pieces = Array.from({ length: 1000 }, () => Buffer.from("abc\nd"));
  expect(split(pieces, 4).lines).toHaveLength(1000);
});

it("does not hold on to the pieces it is given, of which each may be a small part of a large block", () => {
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
