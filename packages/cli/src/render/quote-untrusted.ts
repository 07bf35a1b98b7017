/**
 * Quotes untrusted text of a server or a project's file. Starts each row with a bar (`│ `) and wraps long rows itself,
 * because a row that the terminal wraps would have no bar and could look like Plugboard's own output. Pure.
 */
import { sanitize, sanitizeLine } from "@plugboard/contracts";

const BAR = "│ ";
const MIN_COLUMNS = 20;

/** Returns the text with a bar before each row. Shows at most `maxRows` rows, then the number of omitted rows. */
export type Quoter = (text: string, maxRows?: number) => string;

export interface QuoteOptions {
  readonly columns: number;
  /** Called when rows are omitted. Without it, all rows are shown. */
  readonly onTruncate?: () => void;
  /** How the user sees the omitted rows, by default with `:all`. */
  readonly hint?: string;
}

export function makeQuoter({ columns, onTruncate, hint = ":all shows everything" }: QuoteOptions): Quoter {
  // The last column stays free, because some terminals wrap as soon as it is filled.
  const width = Math.max(MIN_COLUMNS, columns) - BAR.length - 1;
  return (text, maxRows = Infinity) => {
    const rows = sanitize(text.replace(/\n+$/, ""))
      .split("\n")
      .flatMap((line) => wrap(line, width));
    const shown = onTruncate && rows.length > maxRows ? rows.slice(0, maxRows) : rows;
    const omitted = rows.length - shown.length;
    if (omitted > 0) onTruncate?.();
    const note = omitted > 0 ? [`… ${omitted} more ${omitted === 1 ? "line" : "lines"}, ${hint}`] : [];
    return [...shown, ...note].map((row) => `${`${BAR}${row}`.trimEnd()}\n`).join("");
  };
}

/** Breaks after a space in the second half of the row, if there is one. */
function wrap(line: string, width: number): string[] {
  const rows: string[] = [];
  let [row, used] = ["", 0];
  for (const character of line.replaceAll("\t", "  ")) {
    const columns = characterColumns(character);
    if (used + columns > width) {
      const space = row.lastIndexOf(" ");
      const end = character !== " " && space > row.length / 2 ? space + 1 : row.length;
      rows.push(row.slice(0, end));
      row = row.slice(end);
      used = Array.from(row).reduce((sum, rest) => sum + characterColumns(rest), 0);
    }
    row += character;
    used += columns;
  }
  return [...rows, row];
}

/** Estimates the width: 1 or 2. Some narrow characters count as 2, because wrapping early is harmless. */
function characterColumns(character: string): number {
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}

const MAX_NAME_LENGTH = 60;

/** Returns `server:tool` or the server alone, short enough for the prompt. */
export function requesterName({ server, tool }: { readonly server: string; readonly tool?: string }): string {
  return shortName(tool === undefined ? server : `${server}:${tool}`);
}

/** Shortens an untrusted name. Quotes it if it has characters other than letters, digits and `_.:/@-`. */
export function shortName(name: string): string {
  const safe = sanitizeLine(name);
  const characters = Array.from(/^[\p{L}\p{N}_.:/@-]+$/u.test(safe) ? safe : JSON.stringify(safe));
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  const half = MAX_NAME_LENGTH / 2;
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
}
