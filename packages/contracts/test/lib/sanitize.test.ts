/** Tests that hidden characters in text from servers become visible. */
import { sanitize, sanitizeLine, visibleJson } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("sanitize", { meta: { covers: ["A7"] } }, () => {
  it.each([
    ["clearing the screen", "\x1b[2J", "<U+001B>[2J"],
    [
      "a link that shows another text (OSC 8)",
      "\x1b]8;;http://evil\x07ok\x1b]8;;\x07",
      marked("1b", "]8;;http://evil", "07", "ok", "1b", "]8;;", "07"),
    ],
    ["writing to the clipboard (OSC 52)", "\x1b]52;c;cm0gLXJm\x1b\\", "<U+001B>]52;c;cm0gLXJm<U+001B>\\"],
    ["the one-character form of an escape (C1)", "\x9b2J", "<U+009B>2J"],
    ["a carriage return that overwrites", "rm -rf ~\rls      ", "rm -rf ~<U+000D>ls      "],
    ["backspace, bell, delete and nul", "a\b\x07\x7f\0", "a<U+0008><U+0007><U+007F><U+0000>"],
    ["reversed text (right-to-left override)", "photo_\u202egpj.exe", "photo_<U+202E>gpj.exe"],
    ["a bidi isolate", "a\u2066b\u2069", "a<U+2066>b<U+2069>"],
    ["tag characters", "ok\u{e0041}\u{e007f}", "ok<U+E0041><U+E007F>"],
    ["a zero-width space", "ad\u200bmin", "ad<U+200B>min"],
    ["a joiner between letters", "ad\u200dmin", "ad<U+200D>min"],
    ["a joiner after an emoji that joins nothing", "😀\u200d", "😀<U+200D>"],
    ["a joiner before an emoji that joins nothing", "a\u200d😀", "a<U+200D>😀"],
    ["a word joiner and a byte-order mark", "a\u2060b\ufeff", "a<U+2060>b<U+FEFF>"],
    ["a selector after a letter", "a\ufe0f", "a<U+FE0F>"],
    ["a second selector after an emoji", "❤\ufe0f\ufe0f", "❤\ufe0f<U+FE0F>"],
    ["a selector after a digit that is no keycap", "1\ufe0f2", "1<U+FE0F>2"],
    ["bytes smuggled in variation selectors", "😀\u{e0158}\ufe01", "😀<U+E0158><U+FE01>"],
    ["a joiner after a selector that is marked itself", "a\ufe0f\u200d😀", "a<U+FE0F><U+200D>😀"],
    ["a soft hyphen", "pass\u00adword", "pass<U+00AD>word"],
    ["a lone surrogate", "a\ud800b\udc00", "a<U+D800>b<U+DC00>"],
    ["line and paragraph separators", "a\u2028b\u2029", "a<U+2028>b<U+2029>"],
    ["letters that are not displayed", "\u115f\u1160\u3164\uffa0", "<U+115F><U+1160><U+3164><U+FFA0>"],
  ])("makes this visible: %s", (_, text, shown) => {
    expect(sanitize(text)).toBe(shown);
  });

  it("makes every control, format, surrogate, separator and ignorable character of Unicode visible", () => {
    const passed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (HIDDEN.test(character) && sanitize(`a${character}b`) === `a${character}b`) passed.push(code.toString(16));
    }
    expect(passed).toEqual([]);
  });
});

describe("sanitize and sanitizeLine", () => {
  it.each([
    ["a coloured heart", "❤️"],
    ["a family", "👨‍👩‍👧‍👦"],
    ["an astronaut with a skin tone", "👩🏽‍🚀"],
    ["a flag joined of two emoji", "🏳️‍🌈"],
    ["an eye in a bubble", "👁️‍🗨️"],
    ["a keycap", "1️⃣ #️⃣"],
    ["a country", "🇫🇷"],
    ["tabs and line feeds", "a\tb\n\n"],
    ["Arabic", "السلام عليكم"],
    ["Hebrew", "שלום"],
    ["Hindi", "नमस्ते दुनिया"],
    ["Thai", "สวัสดี"],
    ["Chinese", "你好，世界"],
    ["Korean, composed and in parts", "안녕 \u1112\u1161\u11ab"],
    ["letters with combining marks", "e\u0301 a\u0308 Zͫ"],
    ["text that looks like a mark", "<U+202E>"],
  ])("do not change text without hidden characters: %s", (_, text) => {
    expect(sanitize(text)).toBe(text);
    expect(sanitizeLine(text)).toBe(text.replaceAll("\n", "⏎").replaceAll("\t", " "));
  });

  it("do not change any characters that are not hidden", () => {
    fc.assert(fc.property(textOf(character().filter((char) => !HIDDEN.test(char))), (text) => sanitize(text) === text));
  });
});

describe("sanitize, for any text", { meta: { covers: ["A7"] } }, () => {
  it("leaves no hidden character outside of emoji", () => {
    fc.assert(
      fc.property(hostile(), (text) => {
        expect(withoutEmoji(sanitize(text))).not.toMatch(HIDDEN);
      }),
    );
  });

  it("does not change text that is already sanitized", () => {
    fc.assert(
      fc.property(hostile(), (text) => {
        expect(sanitize(sanitize(text))).toBe(sanitize(text));
      }),
    );
  });

  it("loses no character, because the marks can be converted back", () => {
    fc.assert(
      fc.property(hostile(), (text) => {
        expect(unmarked(sanitize(text))).toBe(text);
      }),
    );
  });
});

it(
  "sanitizeLine leaves no line break, no tab and no hidden character outside of emoji",
  { meta: { covers: ["A7"] } },
  () => {
    fc.assert(
      fc.property(hostile(), (text) => {
        const line = sanitizeLine(text);
        expect(line).not.toMatch(/[\n\v\f\r\u0085\u2028\u2029\t]/);
        expect(withoutEmoji(line)).not.toMatch(HIDDEN);
      }),
    );
  },
);

it.each([
  ["a\nb", "a⏎b"],
  ["a\r\nb", "a⏎b"],
  ["a\rb", "a<U+000D>b"],
  ["a\u2028b", "a<U+2028>b"],
  ["a\tb", "a b"],
  ["\x1b[31m", "<U+001B>[31m"],
])("sanitizeLine converts %j to %j", (text, line) => {
  expect(sanitizeLine(text)).toBe(line);
});

it("visibleJson escapes whole characters", () => {
  expect(visibleJson("a\u200bb\u{e0041}c\n")).toBe(String.raw`"a\u200bb\udb40\udc41c\n"`);
});

/** All hidden characters, by Unicode class. The source has a list of its own, which is tested against these classes. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Removes keycaps, and emoji with selectors, skin tones and joiners. */
function withoutEmoji(text: string): string {
  const modifiers = "[\\ufe0f\\p{Emoji_Modifier}]?\\ufe0f?";
  const emoji = `[0-9#*]\\ufe0f\\u20e3|(?![0-9#*])\\p{Emoji}${modifiers}(?:\\u200d\\p{Extended_Pictographic}${modifiers})*`;
  return text.replace(new RegExp(emoji, "gu"), "");
}

function marked(...parts: string[]): string {
  return parts.map((part) => (/^[0-9a-f]{2}$/.test(part) ? `<U+00${part.toUpperCase()}>` : part)).join("");
}

function unmarked(text: string): string {
  return text.replace(/<U\+([0-9A-F]{4,6})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

/** Generates text with many hidden characters and characters that are similar to hidden ones. */
function hostile(): fc.Arbitrary<string> {
  const edges = "aé1#*❤😀👨🏽🇫\u20e3\ufe0f\ufe0e\u200d\u200b\u202e\u00ad\x1b\x9b\r\n\t\ud800\u{e0041}\u{e0101}";
  return textOf(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...Array.from(edges)) }, character()));
}

function textOf(unit: fc.Arbitrary<string>): fc.Arbitrary<string> {
  // Removes marks from the input, because `unmarked` could not tell them from those of the sanitizer.
  return fc.array(unit).map((units) => units.join("").replaceAll("<U+", ""));
}

function character(): fc.Arbitrary<string> {
  const upTo = (max: number) => fc.nat({ max }).map((code) => String.fromCodePoint(code));
  return fc.oneof(upTo(0xff), upTo(0xffff), upTo(0x10ffff));
}
