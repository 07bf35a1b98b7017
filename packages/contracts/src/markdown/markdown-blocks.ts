/**
 * Splits a markdown text into blocks. All blocks but the last are complete, so that a growing text can be printed block
 * by block. Pure.
 */

export type MarkdownBlock =
  /** `indent`: the columns before its text, if it continues the item of a list. */
  | { readonly type: "paragraph"; readonly indent: number; readonly text: string }
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  /** `closed` is false while the text has no closing fence. */
  | { readonly type: "code"; readonly language: string; readonly lines: readonly string[]; readonly closed: boolean }
  | {
      readonly type: "item";
      readonly indent: number;
      readonly marker: string;
      /** Set for a task, such as `- [x] done`. */
      readonly checked?: boolean;
      readonly text: string;
    }
  /** `text`: the quoted text, which may contain blocks. */
  | { readonly type: "quote"; readonly text: string }
  | {
      readonly type: "table";
      readonly rows: readonly (readonly string[])[];
      readonly alignments: readonly ("left" | "right" | "center")[];
    }
  | { readonly type: "rule" };

export function splitBlocks(markdown: string): MarkdownBlock[] {
  return splitWithEnds(markdown).map(({ block }) => block);
}

/**
 * Splits the text after its last complete block. `done` is what can be printed for good; `open` may still change when
 * the text grows.
 */
export function splitComplete(markdown: string): { readonly done: string; readonly open: string } {
  const blocks = splitWithEnds(markdown);
  const isBoundary = ({ block }: PlacedBlock, index: number) => {
    const next = blocks[index + 1]?.block;
    return next !== undefined && !belongTogether(block, next);
  };
  const boundary = blocks.findLast(isBoundary)?.end ?? 0;
  return { done: markdown.slice(0, boundary), open: markdown.slice(boundary) };
}

/** Returns true if the text has a table. Its rows can change as the text grows, because columns become wider. */
export function hasTable(markdown: string): boolean {
  return splitBlocks(markdown).some(({ type }) => type === "table");
}

/** Returns true for items of one list. They are not printed separately, because there is no empty row between them. */
function belongTogether(block: MarkdownBlock, next: MarkdownBlock): boolean {
  return block.type === "item" && next.type === "item";
}

interface PlacedBlock {
  readonly block: MarkdownBlock;
  /** The index after the block's last line. */
  readonly end: number;
}

// Each pattern can match a line in one way only, so that no line takes long.
const FENCE = /^(\s*)(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(?!\s)([^\n]*)$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?!\s)([^\n]*)$/;
const QUOTE = /^ {0,3}> ?([^\n]*)$/;
const TABLE_ROW = /^\s*\|([^\n]*)\|\s*$/;

function splitWithEnds(markdown: string): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  const lines = markdown.split("\n");
  let [index, end] = [0, 0];
  const peek = () => lines[index]?.replace(/\r$/, "");
  const take = () => {
    const line = peek() ?? "";
    end += (lines[index++] ?? "").length + 1;
    return line;
  };
  while (index < lines.length) {
    const line = take();
    if (line.trim() === "") continue;
    const block = readBlock(line, peek, take);
    blocks.push({ block, end: Math.min(end, markdown.length) });
  }
  return blocks;
}

function readBlock(line: string, peek: () => string | undefined, take: () => string): MarkdownBlock {
  const takeWhile = (test: (next: string) => boolean) => {
    const taken: string[] = [];
    for (let next = peek(); next !== undefined && test(next); next = peek()) taken.push(take());
    return taken;
  };
  const [, space = "", fence, language = ""] = FENCE.exec(line) ?? [];
  if (fence !== undefined) {
    const isEnd = (next: string) => next.trim().startsWith(fence) && next.trim().replaceAll(fence[0]!, "") === "";
    const code = takeWhile((next) => !isEnd(next));
    const closed = peek() !== undefined;
    if (closed) take();
    const withoutSpace = code.map((next) => (next.startsWith(space) ? next.slice(space.length) : next.trimStart()));
    return { type: "code", language: language.trim(), lines: withoutSpace, closed };
  }
  const [, marks, title = ""] = HEADING.exec(line) ?? [];
  if (marks !== undefined) return { type: "heading", level: marks.length, text: withoutClosingMarks(title.trim()) };
  if (RULE.test(line)) return { type: "rule" };
  const [, indent, marker = "", first = ""] = ITEM.exec(line) ?? [];
  if (indent !== undefined) {
    const further = takeWhile(isText).map((next) => next.trim());
    const [, check, task] = /^\[([ xX])\]\s+(.*)$/.exec(first) ?? [];
    const text = [task ?? first, ...further].join(" ");
    return {
      type: "item",
      indent: indent.length,
      marker,
      ...(check !== undefined && { checked: check !== " " }),
      text,
    };
  }
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined) {
    const further = takeWhile((next) => QUOTE.test(next)).map((next) => QUOTE.exec(next)![1] ?? "");
    return { type: "quote", text: [quoted, ...further].join("\n") };
  }
  if (TABLE_ROW.test(line) || (line.includes("|") && isTableRule(peek() ?? "")))
    return readTable([line, ...takeWhile(isTableLine)]);
  const spaces = /^ */.exec(line)![0].length;
  return { type: "paragraph", indent: spaces, text: [line, ...takeWhile(isText)].map(joinable).join("") };
}

/** Two spaces or a backslash at the end of a line are a line break. */
function joinable(line: string, index: number, lines: readonly string[]): string {
  const text = line.trim().replace(/\\$/, "");
  const breaks = / {2}$|\\$/.test(line);
  return index === lines.length - 1 ? text : `${text}${breaks ? "\n" : " "}`;
}

/** Removes the marks at the end of a title such as `# Title #`. */
function withoutClosingMarks(title: string): string {
  return title.replace(/(?:^|\s)#+$/, "").trimEnd();
}

/** Returns true for a line that continues a paragraph. */
function isText(line: string): boolean {
  return startsNoBlock(line) && !TABLE_ROW.test(line);
}

/** Returns true for a line that continues a table. It need not end with a bar, because the bar may still arrive. */
function isTableLine(line: string): boolean {
  return startsNoBlock(line);
}

/** Returns true for a line that is not blank and starts no block. A table does not count as a block here. */
function startsNoBlock(line: string): boolean {
  return line.trim() !== "" && ![FENCE, HEADING, RULE, ITEM, QUOTE].some((pattern) => pattern.test(line));
}

function isTableRule(line: string): boolean {
  return line.includes("|") && cellsOf(line).every((cell) => RULE_CELL.test(cell));
}

const RULE_CELL = /^:?-+:?$/;

function readTable(lines: readonly string[]): MarkdownBlock {
  const rows = lines.map(cellsOf);
  const isRule = (cells: readonly string[]) => cells.every((cell) => RULE_CELL.test(cell));
  const alignments = (rows.find(isRule) ?? []).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left",
  );
  return { type: "table", rows: rows.filter((cells) => !isRule(cells)), alignments };
}

/** The bars at both ends of a row may be missing. */
function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
