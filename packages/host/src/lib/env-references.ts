/**
 * Parses references to environment variables in a string: `${NAME}` and `${NAME:-default}`. `$${` is an escaped
 * `${`.
 */
import { looksLikePlainWord } from "./looks-like-plain-word.ts";

export interface EnvReference {
  readonly name: string;
  readonly fallback: string | undefined;
}

const ENV_REFERENCE_OR_ESCAPE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{[^}]*\}?/g;

/** Replaces every reference and leaves malformed ones. Replaces `$${` with `escaped`. */
export function replaceEnvReferences(
  text: string,
  replace: (reference: EnvReference) => string,
  escaped = "${",
): string {
  return text.replace(
    ENV_REFERENCE_OR_ESCAPE,
    (written: string, name: string | undefined, fallback: string | undefined) => {
      if (written === "$${") return escaped;
      return name === undefined ? written : replace({ name, fallback });
    },
  );
}

export function envReferencesIn(text: string): EnvReference[] {
  return [...text.matchAll(ENV_REFERENCE_OR_ESCAPE)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, fallback }],
  );
}

/** Returns an error message for a malformed reference. Masks the reference, because it may contain a secret. */
export function validateEnvReferences(text: string): string | undefined {
  const found = [...text.matchAll(ENV_REFERENCE_OR_ESCAPE)].find(
    ([written, name]) => written !== "$${" && name === undefined,
  );
  if (!found) return undefined;
  return `has ${maskReference(found[0])}, which is not a valid reference; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`;
}

function maskReference(written: string): string {
  if (!written.endsWith("}")) return "${";
  const inside = written.slice(2, -1);
  return inside === "" || looksLikePlainWord(inside) ? written : "${***}";
}
