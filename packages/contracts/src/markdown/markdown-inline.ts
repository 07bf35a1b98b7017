/**
 * Parses emphasis, code and links of one paragraph of Markdown into a tree. The text is untrusted: HTML stays text, and
 * only an address of the web becomes a link. Pure.
 */

export type MarkdownInline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis"; readonly children: readonly MarkdownInline[] }
  | { readonly type: "link"; readonly url: string; readonly children: readonly MarkdownInline[] }
  /** A link to anything else, such as a file. It must not be followed. */
  | { readonly type: "reference"; readonly target: string; readonly children: readonly MarkdownInline[] }
  | { readonly type: "image"; readonly url: string; readonly text: string };

/** Unclosed marks stay as they are, also at the end of a text that still grows. */
export function parseInline(text: string): MarkdownInline[] {
  const parts: MarkdownInline[] = [];
  const addText = (added: string) => {
    const last = parts.at(-1);
    if (added === "") return;
    if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + added };
    else parts.push({ type: "text", text: added });
  };
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    addText(text.slice(end, match.index));
    end = match.index + match[0].length;
    const { escaped, ...mark } = match.groups ?? {};
    if (escaped === undefined) parts.push(readMark(mark));
    else addText(escaped.slice(1));
  }
  addText(text.slice(end));
  return parts;
}

/** Returns the text without its marks. */
export function plainInline(parts: readonly MarkdownInline[]): string {
  return parts.map((part) => ("children" in part ? plainInline(part.children) : part.text)).join("");
}

/** Refuses `javascript:`, `data:` and every other scheme. */
export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** The length limits keep matching linear for texts with many unclosed marks. `\x60` is a backtick. */
const MARKS = new RegExp(
  [
    String.raw`(?<escaped>\\[!-/:-@[-\x60{-~])`,
    String.raw`(?<!\x60)(?<fence>\x60{1,3})(?!\x60)(?<code>[^\x60\n]{1,2000})\k<fence>(?!\x60)`,
    String.raw`\*\*(?<bold>[^\s*](?:[^*\n]{0,2000}[^\s*])?)\*\*`,
    String.raw`(?<!\w)__(?<strong>[^\s_](?:[^_\n]{0,2000}[^\s_])?)__(?!\w)`,
    String.raw`\*(?<italic>[^\s*](?:[^*\n]{0,2000}[^\s*])?)\*`,
    String.raw`(?<!\w)_(?<emphasis>[^\s_](?:[^_\n]{0,2000}[^\s_])?)_(?!\w)`,
    String.raw`(?<image>!?)\[(?<label>[^[\]\n]{0,500})\]\((?<url>[^()\s]{1,2000})(?:\s[^()\n]{0,500})?\)`,
    String.raw`(?<bare>https?://[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?])`,
  ].join("|"),
  "g",
);

function readMark(mark: { readonly [name: string]: string | undefined }): MarkdownInline {
  const { code, bold, strong = bold, italic, emphasis = italic, image, label = "", url, bare } = mark;
  if (code !== undefined) return { type: "code", text: code };
  if (strong !== undefined) return { type: "strong", children: parseInline(strong) };
  if (emphasis !== undefined) return { type: "emphasis", children: parseInline(emphasis) };
  if (bare !== undefined) return { type: "link", url: bare, children: [{ type: "text", text: bare }] };
  if (image === "!") return { type: "image", url: url!, text: label };
  const children = parseInline(label);
  return isWebUrl(url!) ? { type: "link", url: url!, children } : { type: "reference", target: url!, children };
}
