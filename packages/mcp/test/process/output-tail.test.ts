import { OutputTail } from "#process/server-process.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

it.each([
  ["no output", [], ""],
  ["short output in one chunk", ["a\nb\n"], "a\nb"],
  ["short output in many chunks", ["a", "\n", "b"], "a\nb"],
  ["output with blank lines around it", ["\n\n  a  \n\n"], "a"],
  ["the last complete lines of output over the limit", ["first\nsecond\n", "third\nfourth\n"], "third\nfourth"],
  ["output of exactly the limit", ["0123456\n", "89abcde\n"], "0123456\n89abcde"],
  ["the end of one line over the limit", ["abcdefghijklmnopqrstuvwxyz"], "klmnopqrstuvwxyz"],
  ["the end of one terminated line over the limit", ["abcdefghijklmnopqrstuvwxyz\n"], "lmnopqrstuvwxyz"],
  ["the last chunk if it has the size of the limit", ["xyz", "0123456789abcdef"], "0123456789abcdef"],
  ["output without colours", ["\u001b[33mwarn\u001b[0m", "\n"], "warn"],
  ["output without a character that the limit cuts", ["ä123456789abcdef"], "123456789abcdef"],
])("OutputTail returns %s", (_, pieces, text) => {
  expect(tailOf(pieces, 16)).toBe(text);
});

it.each([
  ["", false],
  ["a", true],
  ["a\n", false],
  ["0123456789abcdef", true],
  ["0123456789abcde\n", false],
  ["0123456789abcdefg", true],
  ["0123456789abcdef\n", false],
])("OutputTail knows whether the output %j ends inside a line", (output, isInside) => {
  const tail = new OutputTail(16);
  tail.push(output);
  expect(tail.endsInsideLine).toBe(isInside);
});

it("OutputTail returns the end of the output, never more than the limit", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n") })),
      fc.integer({ min: 1, max: 20 }),
      (pieces, limit) => {
        const tail = tailOf(pieces, limit);
        expect(tail.length).toBeLessThanOrEqual(limit);
        expect(pieces.join("").trimEnd().endsWith(tail)).toBe(true);
      },
    ),
  );
});

it("OutputTail handles large output quickly", () => {
  const tail = new OutputTail();
  const chunk = Buffer.alloc(65_536, "x");
  const before = process.memoryUsage().arrayBuffers;
  for (let megabytes = 0; megabytes < 1000; megabytes++) for (let count = 0; count < 16; count++) tail.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  expect(tail.text).toBe("x".repeat(4096));
});

it("OutputTail keeps a whole page of errors by default", () => {
  const page = `${"x".repeat(79)}\n`.repeat(24);
  expect(tailOf([page])).toBe(page.trim());
});

it("OutputTail keeps a character whose bytes arrive in two chunks", () => {
  const bytes = Buffer.from("größe 😀");
  const tail = new OutputTail();
  for (const byte of bytes) tail.push(Buffer.from([byte]));
  expect(tail.text).toBe("größe 😀");
});

function tailOf(pieces: readonly string[], limit?: number): string {
  const tail = new OutputTail(limit);
  for (const [index, piece] of pieces.entries()) tail.push(index % 2 === 0 ? piece : Buffer.from(piece));
  return tail.text;
}
