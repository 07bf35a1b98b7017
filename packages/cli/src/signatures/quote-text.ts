/** Quotes text of a server, so that it can't be mistaken for code. Pure. */
import { renderJsonLine } from "../terminal/render-json.ts";

/** Returns the text as a string literal of JSON and TypeScript. Escapes hidden characters and line breaks. */
export function quoteText(text: string): string {
  return renderJsonLine(text).trimEnd();
}

/** Returns whether the name can be written without quotes, as the name of a property. */
export function isValidIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** Quotes a word for a POSIX shell if necessary. Returns undefined for text that can't be typed or copied safely. */
export function quoteShellWord(word: string): string | undefined {
  if (quoteText(word).includes("\\u") || /[\n\r\t]/.test(word)) return undefined;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
