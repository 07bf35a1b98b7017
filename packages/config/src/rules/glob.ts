/**
 * Patterns in which `*` matches any text. Matches the pieces between the `*` from left to right, without backtracking,
 * so that no pattern is slow.
 */
export interface Glob {
  readonly pattern: string;
  /** True if the pattern has no `*`. */
  readonly exact: boolean;
  /** The number of characters other than `*`. A larger number means a more specific pattern. */
  readonly literalLength: number;
  matches(text: string): boolean;
}

export function parseGlob(pattern: string): Glob {
  const literals = pattern.replaceAll("*", "");
  const pieces = pattern.split("*");
  return {
    pattern,
    exact: pieces.length === 1,
    literalLength: literals.length,
    matches: (text) => matchesPieces(pieces, text),
  };
}

function matchesPieces(pieces: readonly string[], text: string): boolean {
  if (pieces.length === 1) return text === pieces[0];
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const index = text.indexOf(piece, from);
    if (index < 0 || index + piece.length > end) return false;
    from = index + piece.length;
  }
  return true;
}
