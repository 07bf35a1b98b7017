import type { ChatEntry } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { plainText } from "#terminal/text.js";
import { addScrolled, layOutEntries } from "#tui/lay-out-entries.js";
import type { PrintProgress } from "#tui/state/print-progress.js";
import { NOTHING_PRINTED } from "#tui/state/print-progress.js";

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 10}`).join(" ");
const answer = (text: string, isDone = false): ChatEntry => ({ type: "answer", text, isDone });

/** With 15 columns, a row has four words. */
function layOut(entry: ChatEntry, printed: PrintProgress, { columns = 15, room = 20 } = {}) {
  const { print, live, progress } = layOutEntries([entry], printed, { columns, room, now: 0 });
  return { print: print.map(plainText), live: live.map(plainText), progress };
}

describe("layOutEntries", () => {
  it("prints the upper rows of a growing paragraph, each row once", () => {
    const first = layOut(answer(words(24)), NOTHING_PRINTED);
    expect(first.print).toEqual(["", "w10 w11 w12 w13", "w14 w15 w16 w17"]);
    expect(first.live).toEqual(["w18 w19 w20 w21", "w22 w23 w24 w25", "w26 w27 w28 w29", "w30 w31 w32 w33"]);
    const second = layOut(answer(words(25)), first.progress);
    expect([second.print, second.live.at(-1)]).toEqual([["w18 w19 w20 w21"], "w34"]);
    const last = layOut(answer(words(25), true), second.progress);
    expect([last.print[0], last.live]).toEqual(["w22 w23 w24 w25", []]);
    expect(last.progress).toEqual({ entries: 1, characters: 0, scrolled: "" });
  });

  it("goes on at the next word if the width has changed", () => {
    const { progress } = layOut(answer(words(24)), NOTHING_PRINTED);
    const { print } = layOut(answer(words(24), true), progress, { columns: 23 });
    expect(print).toEqual(["w18 w19 w20 w21", "w22 w23 w24 w25 w26 w27", "w28 w29 w30 w31 w32 w33"]);
  });

  it("prints a paragraph again from the first row that changes when a mark is closed", () => {
    const { print, progress } = layOut(answer(`${words(4)} **bold ${words(20)}`), NOTHING_PRINTED);
    expect(print).toEqual(["", "w10 w11 w12 w13", "**bold w10 w11", "w12 w13 w14 w15"]);
    const closed = layOut(answer(`${words(4)} **bold ${words(20)}**`, true), progress);
    expect(closed.print[0]).toBe("bold w10 w11");
  });

  it("does not repeat rows that a smaller terminal has scrolled off the screen", () => {
    const { live, progress } = layOut(answer(words(8)), NOTHING_PRINTED);
    expect(live).toEqual(["", "w10 w11 w12 w13", "w14 w15 w16 w17"]);
    const { print } = layOut(answer(words(8), true), addScrolled(progress, live.slice(0, 2)));
    expect(print).toEqual(["w14 w15 w16 w17"]);
  });

  it("keeps a growing table in the frame, because its columns can become wider", () => {
    const rows = Array.from({ length: 9 }, (_, index) => `| a${index} | b |\n`).join("");
    const { print, live } = layOut(answer(`| a | b |\n|---|---|\n${rows}`), NOTHING_PRINTED, { room: 5 });
    expect(print).toEqual([]);
    expect(live.length).toBeGreaterThan(9);
  });
});
