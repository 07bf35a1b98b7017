/**
 * Parses the common part of Markdown into a tree. Text of servers and models is untrusted: HTML stays text, images become
 * links, so that showing them sends nothing, and only http and https links can be followed. Pure.
 */

export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis"; readonly children: readonly Inline[] }
  | { readonly type: "link"; readonly url: string; readonly children: readonly Inline[] }
  | { readonly type: "image"; readonly url: string; readonly text: string };

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: "paragraph"; readonly children: readonly Inline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly children: readonly Block[] }
  | { readonly type: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly type: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: "rule" };

const MAX_QUOTE_DEPTH = 5;

/** Removes the fields between two lines of `---` at the beginning, which are not Markdown. */
export function withoutFrontmatter(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n.*?\r?\n---[ \t]*(?:\r?\n|$)/s, "");
}

export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let index = 0;
  const takeWhile = (test: (line: string) => boolean): string[] => {
    const start = index;
    while (index < lines.length && test(lines[index]!)) index++;
    return lines.slice(start, index);
  };
  while (index < lines.length) {
    const line = lines[index]!;
    const fence = /^ {0,3}(```+|~~~+)\s*([\w+-]*)/.exec(line);
    const heading = /^(#{1,6})\s(.*)$/.exec(line);
    if (line.trim() === "") index++;
    else if (fence) {
      index++;
      const body = takeWhile((one) => !one.trimStart().startsWith(fence[1]!));
      index++;
      blocks.push({ type: "code", language: fence[2]!, text: body.join("\n") });
    } else if (heading) {
      index++;
      blocks.push({ type: "heading", level: heading[1]!.length, children: parseInline(heading[2]!.trim()) });
    } else if (/^ {0,3}([-*_])\s*(?:\1\s*){2,}$/.test(line)) {
      index++;
      blocks.push({ type: "rule" });
    } else if (/^ {0,3}>/.test(line) && depth < MAX_QUOTE_DEPTH) {
      const quoted = takeWhile((one) => /^ {0,3}>/.test(one)).map((one) => one.replace(/^ {0,3}> ?/, ""));
      blocks.push({ type: "quote", children: parseMarkdown(quoted.join("\n"), depth + 1) });
    } else if (LIST_ITEM.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items: string[] = [];
      for (const one of takeWhile((next) => LIST_ITEM.test(next) || /^\s{2,}\S/.test(next))) {
        const item = LIST_ITEM.exec(one);
        if (item) items.push(item[1]!);
        else items[items.length - 1] += `\n${one.trim()}`;
      }
      blocks.push({ type: "list", ordered, items: items.map((item) => parseInline(item)) });
    } else if (line.includes("|") && isTableRule(lines[index + 1] ?? "")) {
      const rows = takeWhile((one) => one.includes("|")).filter((_, row) => row !== 1);
      blocks.push({ type: "table", rows: rows.map((row) => cellsOf(row).map((cell) => parseInline(cell))) });
    } else {
      const paragraph = takeWhile((one) => one.trim() !== "" && !/^(?:#{1,6}\s| {0,3}(?:```|~~~|>))/.test(one));
      // A line that begins no other block, such as a quote that is too deep.
      if (paragraph.length === 0) paragraph.push(lines[index++]!);
      blocks.push({ type: "paragraph", children: parseInline(paragraph.join("\n")) });
    }
  }
  return blocks;
}

const LIST_ITEM = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;

function isTableRule(line: string): boolean {
  return line.includes("|") && line.includes("-") && /^[\s:|-]+$/.test(line);
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

/** Each part is limited and can match in one way only, so that no text takes long. */
const INLINE =
  /(?<!`)(`{1,8})(?!`)([^`]{1,5000})\1|!\[([^[\]]{0,1000})\]\(([^()\s]{1,2000})(?:\s[^()]{0,500})?\)|\[([^[\]]{1,1000})\]\(([^()\s]{1,2000})(?:\s[^()]{0,500})?\)|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|(https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?])/g;

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push({ type: "text", text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    parts.push(toInline(match));
  }
  if (end < text.length) parts.push({ type: "text", text: text.slice(end) });
  return parts;
}

function toInline(match: RegExpMatchArray): Inline {
  const [whole, , code, alt, image, label, link, strong, strongUnderscore, emphasis, bare] = match;
  if (code !== undefined) return { type: "code", text: code };
  if (image !== undefined) return { type: "image", url: image, text: alt ?? "" };
  if (link !== undefined) {
    return isWebUrl(link) ? { type: "link", url: link, children: parseInline(label!) } : { type: "text", text: whole };
  }
  const bold = strong ?? strongUnderscore;
  if (bold !== undefined) return { type: "strong", children: parseInline(bold) };
  if (emphasis !== undefined) return { type: "emphasis", children: parseInline(emphasis) };
  return { type: "link", url: bare!, children: [{ type: "text", text: bare! }] };
}

/** Refuses `javascript:`, `data:` and every other scheme. */
export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
