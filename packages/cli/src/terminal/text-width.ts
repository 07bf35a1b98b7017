/** The width of text on a terminal, in columns. Pure. */

/** Ranges of characters that take two columns: East Asian scripts and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /\p{Mn}/u;

export function textColumns(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + characterColumns(character), 0);
}

/** Shortens the text to at most this many columns. A shortened text ends with `…`. */
export function fitColumns(text: string, columns: number): string {
  if (textColumns(text) <= columns) return text;
  let [fitted, used] = ["", 0];
  for (const character of text) {
    used += characterColumns(character);
    if (used > columns - 1) break;
    fitted += character;
  }
  return `${fitted}…`;
}

function characterColumns(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
