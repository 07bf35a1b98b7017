/**
 * Makes hidden characters in text from servers visible, so that the text can't control a terminal or deceive a reader.
 * Control characters, escape sequences, bidi overrides, zero-width and tag characters become marks such as `<U+200B>`.
 */
export function sanitize(text: string): string {
  return replaceHiddenCharacters(text, toVisibleMark);
}

/** Sanitizes text for a single line: also replaces line breaks and tabs. */
export function sanitizeLine(text: string): string {
  return sanitize(text.replace(/\r\n|\n/g, "⏎").replace(/\t/g, " "));
}

/** Replaces each hidden character with the replacer's result. */
export function replaceHiddenCharacters(text: string, replacer: (character: string) => string): string {
  // The common case. The other pattern takes a millisecond to compile.
  return PRINTABLE_ASCII.test(text) ? text : text.replace(HIDDEN_CHARACTERS, replacer);
}

const PRINTABLE_ASCII = /^[\t\n -~]*$/;

/** Matches joiners and variation selectors inside ordinary emoji. They are not replaced. */
const EMOJI_JOINERS = [
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
].join("|");

/**
 * Matches control characters except tab and line feed, format characters (bidi, zero-width, tags), lone surrogates,
 * separators and ignorable characters.
 */
const HIDDEN_CHARACTERS = new RegExp(
  String.raw`(?![\t\n]|${EMOJI_JOINERS})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  "gu",
);

function toVisibleMark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
