/** JSON that loses nothing and still can't act on a terminal: hidden characters are written as escapes. */
import { replaceHidden } from "@plugboard/contracts";

export function renderJson(value: unknown): string {
  return `${replaceHidden(JSON.stringify(value, null, 2), escaped)}\n`;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
