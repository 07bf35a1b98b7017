import { quoteShellWord, splitShellWords } from "@plugboard/contracts";
import { array, assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

describe("splitShellWords", () => {
  it("splits words as a shell does, and expands nothing", () => {
    expect(splitShellWords(`npx -y "a b" 'c "d"' e\\ f $HOME "" "g\\"h"`)).toEqual({
      words: ["npx", "-y", "a b", 'c "d"', "e f", "$HOME", "", 'g"h'],
    });
  });

  it("returns the same words that quoteShellWord has quoted", () => {
    assert(
      property(array(string(), { maxLength: 5 }), (words) => {
        expect(splitShellWords(words.map((word) => quoteShellWord(word)).join(" "))).toEqual({ words });
      }),
    );
  });

  it("reports a quote that is not closed", () => {
    expect(splitShellWords(`a "b c`)).toEqual({ words: ["a", "b c"], openQuote: '"' });
  });

  it("keeps backslashes if escapes are turned off", () => {
    expect(splitShellWords(String.raw`C:\a b`, false).words).toEqual([String.raw`C:\a`, "b"]);
  });
});
