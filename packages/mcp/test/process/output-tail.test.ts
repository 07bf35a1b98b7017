import { OutputTail } from "#process/output-tail.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

it.each([
  ["nothing", [], ""],
  ["little, in one piece", ["a\nb\n"], "a\nb"],
  ["little, in many pieces", ["a", "\n", "b"], "a\nb"],
  ["blank lines around it", ["\n\n  a  \n\n"], "a"],
  ["more than the limit: the last lines that are whole", ["first\nsecond\n", "third\nfourth\n"], "third\nfourth"],
  ["as much as the limit", ["0123456\n", "89abcde\n"], "0123456\n89abcde"],
  ["one line over the limit: its end", ["abcdefghijklmnopqrstuvwxyz"], "klmnopqrstuvwxyz"],
  ["one line over the limit, ended", ["abcdefghijklmnopqrstuvwxyz\n"], "lmnopqrstuvwxyz"],
  ["a piece as long as the limit after another", ["xyz", "0123456789abcdef"], "0123456789abcdef"],
  ["one over the limit that cuts a character", ["ä123456789abcdef"], "123456789abcdef"],
])("%s", (_, pieces, text) => {
  expect(tailOf(pieces, 16)).toBe(text);
});

it("is the end of what was written, never longer than the limit", () => {
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

it("is a short time's work, however much is written", () => {
  const tail = new OutputTail();
  const chunk = Buffer.alloc(65_536, "x");
  const before = process.memoryUsage().arrayBuffers;
  for (let megabytes = 0; megabytes < 1000; megabytes++) for (let at = 0; at < 16; at++) tail.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  expect(tail.text).toBe("x".repeat(4096));
});

it("has no limit that a whole page of errors would not fit into", () => {
  const page = `${"x".repeat(79)}\n`.repeat(24);
  expect(tailOf([page])).toBe(page.trim());
});

it("keeps a character whose bytes came in two pieces", () => {
  const bytes = Buffer.from("größe 😀");
  const tail = new OutputTail();
  for (const byte of bytes) tail.push(Buffer.from([byte]));
  expect(tail.text).toBe("größe 😀");
});

function tailOf(pieces: readonly string[], limit?: number): string {
  const tail = new OutputTail(limit);
  for (const [at, piece] of pieces.entries()) tail.push(at % 2 === 0 ? piece : Buffer.from(piece));
  return tail.text;
}
