/** JSON that loses nothing and still can't act on a terminal: hidden characters are written as escapes. */
import { replaceHiddenCharacters } from "@plugboard/contracts";

export function renderJson(value: unknown): string {
  return `${replaceHiddenCharacters(JSON.stringify(value, null, 2), escapeCharacter)}\n`;
}

/** The same on one line. */
export function renderJsonLine(value: unknown): string {
  return `${replaceHiddenCharacters(JSON.stringify(value), escapeCharacter)}\n`;
}

/** Nothing for what is nested too deeply to be written; a server can send that. */
export function tryRenderJson(value: unknown): string | undefined {
  try {
    return renderJson(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
