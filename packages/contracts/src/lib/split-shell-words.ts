interface SplitWords {
  readonly words: readonly string[];
  /** The quote that is not closed. */
  readonly openQuote?: string;
}

/**
 * Splits a command line into words, as a POSIX shell would, without expanding anything. Without `escapes`, a backslash
 * outside of quotes is an ordinary character, as in a Windows path.
 */
export function splitShellWords(line: string, escapes = true): SplitWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line[index]!;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (character === "\\" && quote === '"' && /["\\]/.test(line[index + 1] ?? "")) word += line[++index]!;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === "\\" && escapes) word = (word ?? "") + (line[++index] ?? "");
    else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return { words, ...(quote !== undefined && { openQuote: quote }) };
}
