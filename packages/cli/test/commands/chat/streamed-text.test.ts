import { sanitize } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { StreamedText } from "#commands/chat/streamed-text.js";

/** Returns the pieces as a terminal gets them. */
function show(...pieces: string[]): string[] {
  const streamed = new StreamedText();
  return [...pieces.map((piece) => streamed.add(piece)), streamed.end()].map(sanitize);
}

describe("StreamedText", () => {
  it("shows ordinary text at once", () => {
    expect(show("Hello", " you.\n")).toEqual(["Hello", " you.\n", ""]);
  });

  it.each([
    ["👩", "\u200d💻 ok"],
    ["👩\u200d", "💻 ok"],
    ["👍", "🏽 ok"],
    ["❤", "\ufe0f ok"],
    ["1", "\ufe0f\u20e3 ok"],
    ["\ud83d", "\udc69 ok"],
  ])("does not mark the parts of an emoji that is cut in two: %j %j", (first, second) => {
    expect(show(first, second).join("")).toBe(first + second);
  });

  it("shows an emoji at the end of the text", () => {
    expect(show("Done 👍")).toEqual(["Done ", "👍"]);
  });

  it("still marks hidden characters", () => {
    expect(show("a\u200d", "b\u202e").join("")).toBe("a<U+200D>b<U+202E>");
  });
});
