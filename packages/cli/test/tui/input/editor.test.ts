import { describe, expect, it } from "vitest";
import { editText, EMPTY_EDITOR, submitText } from "#tui/input/editor.js";
import type { Editor } from "#tui/input/editor.js";
import { KeyParser } from "#tui/input/key-parser.js";

const UP = "\u001b[A";
const DOWN = "\u001b[B";
const LEFT = "\u001b[D";

function type(input: string, editor: Editor = EMPTY_EDITOR): Editor {
  return new KeyParser().push(input).reduce(editText, editor);
}

describe("editText", () => {
  it("inserts at the cursor", () => {
    expect(type(`ac${LEFT}b`)).toMatchObject({ text: "abc", cursor: 2 });
  });

  it("removes an emoji of several code points with one Backspace", () => {
    expect(type("a👩‍👩‍👧\u007f")).toMatchObject({ text: "a", cursor: 1 });
  });

  it("removes a word, the start and the end of the line", () => {
    expect(type("one two \u0017").text).toBe("one ");
    expect(type("one\ntwo\u0015").text).toBe("one\n");
    expect(type(`one${LEFT}${LEFT}\u000b`).text).toBe("o");
  });

  it("moves between lines before it shows the history", () => {
    const editor = { ...EMPTY_EDITOR, history: ["old"], historyIndex: 1 };
    const inFirstLine = type(`one\ntwo${UP}`, editor);
    expect(inFirstLine).toMatchObject({ text: "one\ntwo", cursor: 3 });
    expect(type(UP, inFirstLine).text).toBe("old");
  });

  it("returns to the unsent text below the history", () => {
    const editor = submitText(type("first"));
    expect(type(`draft${UP}`, editor).text).toBe("first");
    expect(type(`draft${UP}${DOWN}`, editor).text).toBe("draft");
  });

  it("adds a sent text to the history only once", () => {
    const twice = submitText(type("same", submitText(type("same"))));
    expect(twice).toMatchObject({ text: "", history: ["same"] });
  });
});
