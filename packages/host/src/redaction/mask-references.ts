/** Masks texts with references to variables. `${NAME}` shows no secret, but the default in `${NAME:-default}` may be one. */
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { replaceEnvReferences, validateEnvReferences } from "../lib/env-references.ts";

export const MASK = "***";

/** Matches a reference in the output of `maskDefaults`. `$${` is an escape, not a reference. */
export const ENV_REFERENCE = /(?<!\$)\$\{[^}]*\}/g;

/** Returns undefined for a text with a malformed reference. The functions below expect its output. */
export function maskDefaults(text: string, maskFallback: (fallback: string) => string): string | undefined {
  if (validateEnvReferences(text) !== undefined) return undefined;
  return replaceEnvReferences(
    text,
    ({ name, fallback }) => `\${${name}${fallback === undefined ? "" : `:-${maskFallback(fallback)}`}}`,
    "$${",
  );
}

export function maskUnlessReference(text: string): string {
  return text.replace(ENV_REFERENCE, "") === "" ? text : MASK;
}

export function maskUnlessPlainWord(text: string): string {
  return looksLikePlainWord(text.replace(ENV_REFERENCE, "ref")) ? text : MASK;
}
