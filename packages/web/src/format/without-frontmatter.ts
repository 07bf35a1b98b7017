/** Removes the fields between two lines of `---` at the beginning, which are not Markdown. */
export function withoutFrontmatter(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n.*?\r?\n---[ \t]*(?:\r?\n|$)/s, "");
}
