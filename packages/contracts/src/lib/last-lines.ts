/** Returns the last lines of a text, such as a server's output, and the number of lines before them. */
export function lastLines(text: string, count: number): { readonly text: string; readonly omitted: number } {
  const lines = text.trimEnd().split("\n");
  const omitted = Math.max(0, lines.length - count);
  return { text: lines.slice(omitted).join("\n"), omitted };
}
