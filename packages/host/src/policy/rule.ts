/** A permission rule: an effect on the tools that a `server:tool` pattern matches. */

export const EFFECTS = ["allow", "ask", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Rule {
  readonly effect: Effect;
  /** As the user wrote it. */
  readonly text: string;
  readonly server: Glob;
  readonly tool: Glob;
}

interface Glob {
  readonly pattern: string;
  readonly exact: boolean;
  /** How many characters it fixes: the measure of how specific it is. */
  readonly literals: number;
  matches(text: string): boolean;
}

const RULE = /^([a-zA-Z0-9_*-]+):([^()\s]+)$/;

/** Nothing for a text that is not a rule. `*` alone means every tool of every server. */
export function parseRule(effect: Effect, text: string): Rule | undefined {
  const parts = RULE.exec(text === "*" ? "*:*" : text);
  if (!parts) return undefined;
  return { effect, text, server: glob(parts[1]!), tool: glob(parts[2]!) };
}

function glob(pattern: string): Glob {
  const literals = pattern.replaceAll("*", "");
  const pieces = pattern.split("*");
  return { pattern, exact: pieces.length === 1, literals: literals.length, matches: (text) => fits(pieces, text) };
}

/** Matches piece by piece from the left, so no pattern can make it slow. */
function fits(pieces: readonly string[], text: string): boolean {
  if (pieces.length === 1) return text === pieces[0];
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at < 0 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
