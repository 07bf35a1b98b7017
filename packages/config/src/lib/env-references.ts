/**
 * Parses references to environment variables in a string: `${NAME}` and `${NAME:-default}`. `$${` is an escaped
 * `${`.
 */
import { looksLikePlainWord } from "./looks-like-plain-word.ts";

export interface EnvReference {
  readonly name: string;
  readonly fallback: string | undefined;
}

/** Matches an escaped `${`, a valid reference, or a malformed one, in this order. */
const ENV_REFERENCE_OR_ESCAPE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{[^}]*\}?/g;

/** Replaces every valid reference, and every `$${` with `escaped`. Leaves malformed references unchanged. */
export function replaceEnvReferences(
  text: string,
  replace: (reference: EnvReference) => string,
  escaped = "${",
): string {
  return text.replace(
    ENV_REFERENCE_OR_ESCAPE,
    (match: string, name: string | undefined, fallback: string | undefined) => {
      if (match === "$${") return escaped;
      return name === undefined ? match : replace({ name, fallback });
    },
  );
}

export function envReferencesIn(text: string): EnvReference[] {
  return [...text.matchAll(ENV_REFERENCE_OR_ESCAPE)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, fallback }],
  );
}

/** Splits a text into its references and the texts between them. In the texts, `$${` is already replaced with `${`. */
export function splitEnvReferences(text: string): (string | EnvReference)[] {
  const parts: (string | EnvReference)[] = [];
  const addText = (literal: string) => {
    const last = parts.at(-1);
    if (typeof last === "string") parts[parts.length - 1] = last + literal;
    else if (literal !== "") parts.push(literal);
  };
  let end = 0;
  for (const { 0: match, 1: name, 2: fallback, index } of text.matchAll(ENV_REFERENCE_OR_ESCAPE)) {
    addText(text.slice(end, index));
    if (name === undefined) addText(match === "$${" ? "${" : match);
    else parts.push({ name, fallback });
    end = index + match.length;
  }
  addText(text.slice(end));
  return parts;
}

/** Returns an error message for a malformed reference. Masks the reference, because it may contain a secret. */
export function validateEnvReferences(text: string): string | undefined {
  const malformed = [...text.matchAll(ENV_REFERENCE_OR_ESCAPE)].find(
    ([match, name]) => match !== "$${" && name === undefined,
  );
  if (!malformed) return undefined;
  return `has ${maskReference(malformed[0])}, which is not a valid reference; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`;
}

function maskReference(reference: string): string {
  if (!reference.endsWith("}")) return "${";
  const content = reference.slice(2, -1);
  return content === "" || looksLikePlainWord(content) ? reference : "${***}";
}
