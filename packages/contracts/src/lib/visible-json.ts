import { replaceHiddenCharacters } from "./sanitize.ts";

/** Serializes a value. Writes control and invisible characters as escapes, such as `\u200b`, which mean the same. */
export function visibleJson(value: unknown, indent?: number): string {
  return replaceHiddenCharacters(JSON.stringify(value, null, indent), (character) =>
    character.split("").map(escapeUnit).join(""),
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
