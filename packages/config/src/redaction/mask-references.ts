/**
 * Masks texts with references to environment variables. `${NAME}` contains no secret, but the default value in
 * `${NAME:-default}` (its `fallback`) may be one.
 */
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { replaceEnvReferences, validateEnvReferences } from "../lib/env-references.ts";

export const MASK = "***";

/** Matches a reference in the output of `maskDefaults`. `$${` is an escape, not a reference. */
export const ENV_REFERENCE = /(?<!\$)\$\{[^}]*\}/g;

/**
 * Masks the default values in a text. The functions below expect such a text, and mask the rest of it. Returns
 * undefined if a reference is malformed.
 */
export function maskDefaults(text: string, maskFallback: (fallback: string) => string): string | undefined {
  if (validateEnvReferences(text) !== undefined) return undefined;
  return replaceEnvReferences(
    text,
    ({ name, fallback }) => `\${${name}${fallback === undefined ? "" : `:-${maskFallback(fallback)}`}}`,
    "$${",
  );
}

/** Masks a text unless it consists of references only. */
export function maskUnlessReference(text: string): string {
  return text.replace(ENV_REFERENCE, "") === "" ? text : MASK;
}

export function maskUnlessPlainWord(text: string): string {
  return looksLikePlainWord(text.replace(ENV_REFERENCE, "ref")) ? text : MASK;
}
