/**
 * Text from servers is shown to people, so nothing in it may act on a terminal
 * or hide: control characters, escape sequences, bidi overrides, zero-width and
 * tag characters become visible `<U+…>` marks. Nothing is removed.
 */
export function sanitize(text: string): string {
  return replaceHiddenCharacters(text, toVisibleMark);
}

/** The same for a place that holds one line: line breaks and tabs become visible too. */
export function sanitizeLine(text: string): string {
  return text
    .replace(/\r\n|\n/g, "⏎")
    .replace(/\t/g, " ")
    .replace(HIDDEN_CHARACTERS, toVisibleMark);
}

/** For a writer that has a way of its own to show what is hidden. */
export function replaceHiddenCharacters(text: string, replacer: (character: string) => string): string {
  return text.replace(HIDDEN_CHARACTERS, replacer);
}

/** The characters that ordinary emoji are built with stay where they build one. */
const EMOJI_JOINERS = [
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
].join("|");

/** Controls but tab and line feed, formats (bidi, zero-width, tags), lone surrogates, separators, and what is not displayed. */
const HIDDEN_CHARACTERS = new RegExp(
  String.raw`(?![\t\n]|${EMOJI_JOINERS})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  "gu",
);

function toVisibleMark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
