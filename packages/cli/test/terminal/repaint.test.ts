/** Tests how lines are drawn again in place. */
import { PassThrough } from "node:stream";
import { LiveLine } from "#terminal/live-line.js";
import { Output } from "#terminal/output.js";
import { Repaint } from "#terminal/repaint.js";
import { linesOf, plainText, styled } from "#terminal/text.js";
import { describe, expect, it } from "vitest";

function makeRepaint(size: { columns: number; rows: number }) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, ...size });
  const output = new Output(stream, { env: {}, liveLine: new LiveLine(stream) });
  return { repaint: new Repaint(output), stream, written: () => String(stream.read() ?? "") };
}

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";

describe("Repaint", () => {
  it("goes back to the first line, erases the old lines and draws the new ones", () => {
    const { repaint, written } = makeRepaint({ columns: 40, rows: 10 });
    repaint.draw(["one", "two"]);
    expect(written()).toBe(`${HIDE}\u001b[Jone\ntwo\n`);
    repaint.draw(["three"]);
    expect(written()).toBe("\r\u001b[2A\u001b[Jthree\n");
    repaint.end();
    expect(written()).toBe(SHOW);
  });

  it("counts the rows that the lines take after the terminal has become narrower", () => {
    const { repaint, stream, written } = makeRepaint({ columns: 40, rows: 10 });
    repaint.draw(["x".repeat(30), ""]);
    written();
    stream.columns = 20;
    repaint.draw(["y"]);
    expect(written()).toMatch(/^\r\u001b\[3A/);
  });

  it("cuts lines that are too wide, and leaves out lines that don't fit on the screen", () => {
    const { repaint, written } = makeRepaint({ columns: 6, rows: 4 });
    repaint.draw([styled("red", "a long line"), "2", "3", "4", "5"]);
    expect(written()).toBe(`${HIDE}\u001b[Ja lo…\n2\n… 3 …\n`);
  });

  it("makes the escape sequences of a server visible", { meta: { covers: ["A7"] } }, () => {
    const { repaint, written } = makeRepaint({ columns: 40, rows: 10 });
    repaint.draw(["\u001b[2J"]);
    expect(written()).toBe(`${HIDE}\u001b[J<U+001B>[2J\n`);
  });
});

describe("linesOf", () => {
  it("splits text at its line breaks and keeps the styles", () => {
    const lines = linesOf(["a ", styled("red", "b\nc"), "\n\nd\n"]);
    expect(lines.map(plainText)).toEqual(["a b", "c", "", "d"]);
    expect(lines[1]).toEqual([styled("red", "c"), ""]);
  });
});
