/** Replaces a piece of a text. Keeps the line breaks of a text with CRLF, which models write as LF. Pure. */

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  /** True to replace every occurrence. If false, there must be exactly one occurrence. */
  readonly all: boolean;
}

export type Replaced = { readonly text: string; readonly count: number } | { readonly occurrences: number };

/**
 * Returns `occurrences` instead of the new text if the old text does not occur, or occurs several times without `all`.
 */
export function replaceText(text: string, { oldText, newText, all }: Replacement): Replaced {
  const candidates = usesCrlf(text)
    ? [{ oldText: toCrlf(oldText), newText: toCrlf(newText) }]
    : [
        { oldText, newText },
        // The text may have both kinds of line breaks.
        { oldText: toCrlf(oldText), newText: toCrlf(newText) },
      ];
  for (const candidate of candidates) {
    const pieces = text.split(candidate.oldText);
    const count = pieces.length - 1;
    if (count === 0) continue;
    return count === 1 || all ? { text: pieces.join(candidate.newText), count } : { occurrences: count };
  }
  return { occurrences: 0 };
}

/** Returns whether every line break is CRLF, and there is at least one. */
function usesCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
