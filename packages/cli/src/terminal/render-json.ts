/** Renders JSON that is safe to print: control and invisible characters are escaped. */
import { replaceHiddenCharacters } from "@plugboard/contracts";

export function renderJson(value: unknown): string {
  return `${replaceHiddenCharacters(JSON.stringify(value, null, 2), escapeCharacter)}\n`;
}

/** Renders on one line. */
export function renderJsonLine(value: unknown): string {
  return `${replaceHiddenCharacters(JSON.stringify(value), escapeCharacter)}\n`;
}

/** Returns undefined for a value that is nested too deeply to be serialized. A server can send such a value. */
export function tryRenderJson(value: unknown): string | undefined {
  try {
    return renderJson(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
