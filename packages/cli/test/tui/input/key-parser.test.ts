import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyParser } from "#tui/input/key-parser.js";

const key = (name: string) => ({ type: "key", name });
const text = (typed: string) => ({ type: "text", text: typed });

/** Cuts typed text into characters, because the parser reports text that arrives together as one key. */
const byCharacter = (pressed: { type: string; text?: string }) =>
  pressed.type === "text" ? Array.from(pressed.text ?? "", text) : [pressed];

describe("KeyParser", () => {
  it("separates typed text from Enter in one input", () => {
    expect(new KeyParser().push("hello\r")).toEqual([text("hello"), key("enter")]);
  });

  it("reads a paste of 10 000 characters in pieces as one key, with its line breaks", () => {
    const pasted = `${"x".repeat(4999)}\r\n${"y".repeat(5000)}`;
    const input = `\u001b[200~${pasted}\u001b[201~\r`;
    const parser = new KeyParser();
    const keys = input.match(/[^]{1,1000}/g)!.flatMap((piece) => parser.push(piece));
    expect(keys).toEqual([{ type: "paste", text: pasted.replace("\r\n", "\n") }, key("enter")]);
  });

  it("removes escape sequences from pasted text", { meta: { covers: ["A7"] } }, () => {
    expect(new KeyParser().push("\u001b[200~a\u001b[2Jb\u009bc\tz\u001b[201~")).toEqual([
      { type: "paste", text: "a[2Jbc\tz" },
    ]);
  });

  it("waits for the rest of a sequence, and reports Escape when nothing follows", () => {
    const parser = new KeyParser();
    expect(parser.push("\u001b")).toEqual([]);
    expect(parser.isPending).toBe(true);
    expect(parser.push("[A")).toEqual([key("up")]);
    expect(parser.push("\u001b")).toEqual([]);
    expect(parser.flush()).toEqual([key("escape")]);
  });

  it("reports two Escapes that come together", () => {
    const parser = new KeyParser();
    expect([...parser.push("\u001b\u001b"), ...parser.flush()]).toEqual([key("escape"), key("escape")]);
  });

  it("ignores unknown sequences", () => {
    expect(new KeyParser().push("\u001b[99;5ua\u001b[?62c")).toEqual([text("a")]);
  });

  it("reports the same keys however the input is split into chunks", () => {
    const input = "ab\u001b[Dc\u001b[200~p\rq\u001b[201~\u001b[1;5C\r";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 40 }), (sizes) => {
        const parser = new KeyParser();
        const keys: { type: string; text?: string }[] = [];
        let start = 0;
        for (const size of [...sizes, input.length]) {
          keys.push(...parser.push(input.slice(start, start + size)));
          start += size;
        }
        expect(keys.flatMap(byCharacter)).toEqual(new KeyParser().push(input).flatMap(byCharacter));
      }),
    );
  });
});
