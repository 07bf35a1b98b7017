/** Texts with `${…}` for people: a reference names a secret and holds none, but its default may be one. */
import { isHarmlessWord } from "./harmless-word.ts";
import { replaceReferences, wrongReference } from "./references.ts";

export const MASK = "***";

/** Matches a reference in the output of `maskDefaults`. `$${` is an escape, not a reference. */
export const SHOWN_REFERENCE = /(?<!\$)\$\{[^}]*\}/g;

/** Returns undefined for a text with a malformed reference. The functions below expect its output. */
export function maskDefaults(text: string, show: (fallback: string) => string): string | undefined {
  if (wrongReference(text) !== undefined) return undefined;
  return replaceReferences(
    text,
    ({ name, fallback }) => `\${${name}${fallback === undefined ? "" : `:-${show(fallback)}`}}`,
    "$${",
  );
}

export function showReferences(text: string): string {
  return text.replace(SHOWN_REFERENCE, "") === "" ? text : MASK;
}

export function showWord(text: string): string {
  return isHarmlessWord(text.replace(SHOWN_REFERENCE, "ref")) ? text : MASK;
}
