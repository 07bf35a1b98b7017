/** Finds the tables and values of a TOML text with their positions. Expects a valid text. Pure. */

export interface TomlItem {
  readonly kind: "table" | "value";
  /** The keys from the root, including those of the table that the value is in. */
  readonly path: readonly string[];
  /** The start of the first line of the item. */
  readonly start: number;
  /** The end of the last line of the item, after its line break. */
  readonly end: number;
  /** Where the value itself starts and ends. Both are `end` for a table. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

export function scanToml(text: string): TomlItem[] {
  const items: TomlItem[] = [];
  let table: readonly string[] = [];
  let position = 0;
  while (position < text.length) {
    const start = position;
    const first = skip(text, start, SPACES);
    if (first >= text.length) break;
    if (text[first] === "[") {
      const keys = readKeys(text, skip(text, first, /\[{1,2}/y));
      table = keys.path;
      position = endOfLine(text, keys.end);
      items.push({ kind: "table", path: table, start, end: position, valueStart: position, valueEnd: position });
    } else if (/[\r\n#]/.test(text[first]!)) {
      position = endOfLine(text, first);
    } else {
      const keys = readKeys(text, first);
      const valueStart = skip(text, keys.end, /[ \t]*=[ \t]*/y);
      const valueEnd = endOfValue(text, valueStart);
      position = endOfLine(text, valueEnd);
      items.push({ kind: "value", path: [...table, ...keys.path], start, end: position, valueStart, valueEnd });
    }
  }
  return items;
}

const SPACES = /[ \t]*/y;
/** A bare key, a key in double quotes, or a key in single quotes. */
const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|"((?:[^"\\\r\n]|\\.)*)"|'([^'\r\n]*)')[ \t]*/y;
const MULTI_LINE_STRING = /"""(?:[^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')/y;
const STRING = /"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'/y;
/** A number, a date or a boolean. A date may have a space before its time. */
const BARE_VALUE = /[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?/y;

function readKeys(text: string, start: number): { readonly path: readonly string[]; readonly end: number } {
  const path: string[] = [];
  let end = start;
  do {
    KEY.lastIndex = path.length === 0 ? end : end + 1;
    const match = KEY.exec(text);
    if (!match) break;
    path.push(match[1] ?? match[3] ?? unescape(match[2]!));
    end = KEY.lastIndex;
  } while (text[end] === ".");
  return { path, end };
}

/** A key with an escape that JSON does not have stays as it is written, and matches no key. */
function unescape(quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return quoted;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === "[" || first === "{") return endOfBrackets(text, start);
  for (const pattern of [MULTI_LINE_STRING, STRING, BARE_VALUE]) {
    const end = skip(text, start, pattern);
    if (end > start) return end;
  }
  return start;
}

function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const char = text[position]!;
    if (char === "#") {
      position = endOfLine(text, position);
      continue;
    }
    if (char === '"' || char === "'") {
      const end = endOfValue(text, position);
      position = Math.max(end, position + 1);
      continue;
    }
    if (char === "[" || char === "{") depth++;
    if (char === "]" || char === "}") depth--;
    position++;
    if (depth === 0) return position;
  }
  return position;
}

/** Returns the position after the next line break. */
function endOfLine(text: string, position: number): number {
  const lineBreak = text.indexOf("\n", position);
  return lineBreak < 0 ? text.length : lineBreak + 1;
}

function skip(text: string, position: number, pattern: RegExp): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}
