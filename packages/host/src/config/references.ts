/** References to environment variables in a text: `${NAME}`, `${NAME:-default}`; `$${` stands for `${` itself. */
import { isHarmlessWord } from "./harmless-word.ts";

export interface Reference {
  readonly name: string;
  readonly fallback: string | undefined;
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{[^}]*\}?/g;

/** Replaces every reference and leaves malformed ones. Replaces `$${` with `escaped`. */
export function replaceReferences(text: string, replace: (reference: Reference) => string, escaped = "${"): string {
  return text.replace(REFERENCE, (written: string, name: string | undefined, fallback: string | undefined) => {
    if (written === "$${") return escaped;
    return name === undefined ? written : replace({ name, fallback });
  });
}

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, fallback }],
  );
}

/** What is wrong with a text that has something like a reference that is none; maybe it holds a secret. */
export function wrongReference(text: string): string | undefined {
  const found = [...text.matchAll(REFERENCE)].find(([written, name]) => written !== "$${" && name === undefined);
  if (!found) return undefined;
  return `has ${shown(found[0])}, which is no reference; write \${NAME} or \${NAME:-default}, or $\${ for the text itself`;
}

function shown(written: string): string {
  if (!written.endsWith("}")) return "${";
  const inside = written.slice(2, -1);
  return inside === "" || isHarmlessWord(inside) ? written : "${***}";
}
