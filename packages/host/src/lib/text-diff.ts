/** Compares two texts line by line and renders the differences as a unified diff, without file headers. Pure. */

type Sign = " " | "-" | "+";

interface DiffLine {
  readonly sign: Sign;
  readonly text: string;
}

const CONTEXT_LINES = 3;
/** Limits the table that aligns the lines. A larger difference is shown as one removed and one added block. */
const MAX_TABLE_CELLS = 4_000_000;
const NO_LINE_BREAK = "\\ No newline at end of file";

/** Returns an empty string if the texts are equal. */
export function textDiff(before: string, after: string): string {
  if (before === after) return "";
  const lines = diffLines(splitLines(before), splitLines(after));
  return hunksOf(lines)
    .map(([start, end]) => renderHunk(lines, start, end))
    .join("\n");
}

/** Marks a last line without a line break, so that it differs from the same line with a line break. */
function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop()!;
  return last === "" ? lines : [...lines, `${last}\n${NO_LINE_BREAK}`];
}

function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix++;
  const line = (sign: Sign) => (text: string) => ({ sign, text });
  return [
    ...before.slice(0, prefix).map(line(" ")),
    ...alignLines(before.slice(prefix, before.length - suffix), after.slice(prefix, after.length - suffix)),
    ...before.slice(before.length - suffix).map(line(" ")),
  ];
}

/** Finds a longest common subsequence of the lines. */
function alignLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  const tooLarge = (before.length + 1) * width > MAX_TABLE_CELLS;
  // The cell (i, j) is the number of common lines of `before` from line i and `after` from line j.
  const common = new Uint32Array(tooLarge ? 0 : (before.length + 1) * width);
  for (let i = tooLarge ? -1 : before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (!tooLarge && i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i]! });
      i++;
      j++;
    } else if (
      i < before.length &&
      (tooLarge || j === after.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push({ sign: "-", text: before[i++]! });
    } else lines.push({ sign: "+", text: after[j++]! });
  }
  return lines;
}

/**
 * Returns the hunks: ranges of changed lines with their context, as start and
 * end indexes. Ranges that touch are joined.
 */
function hunksOf(lines: readonly DiffLine[]): [number, number][] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const [start, end] = [Math.max(0, index - CONTEXT_LINES), Math.min(lines.length, index + CONTEXT_LINES + 1)];
    const last = hunks.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function renderHunk(lines: readonly DiffLine[], start: number, end: number): string {
  const count = (part: readonly DiffLine[], other: Sign) => part.filter(({ sign }) => sign !== other).length;
  const [earlier, shown] = [lines.slice(0, start), lines.slice(start, end)];
  const range = (other: Sign) => {
    const length = count(shown, other);
    // In a unified diff, a range without lines has the number of the line before it.
    return `${count(earlier, other) + (length === 0 ? 0 : 1)},${length}`;
  };
  const body = shown.map(({ sign, text }) => `${sign}${text}`).join("\n");
  return `@@ -${range("+")} +${range("-")} @@\n${body}`;
}
