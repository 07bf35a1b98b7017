/** Writes a value of a Plugboard entry as a string of another client, with that client's placeholders. */
import type { EntryValue } from "@plugboard/contracts";
import { describeReference, isSecretReference } from "../../definition/secret-reference.ts";
import { splitEnvReferences } from "../../lib/env-references.ts";
import type { EnvReference } from "../../lib/env-references.ts";
import { findPlaceholders } from "./dialect.ts";
import type { Dialect, Placeholder } from "./dialect.ts";
import { toVariableName } from "./read-placeholders.ts";

export interface WrittenValue {
  readonly text: string;
  /** Messages about what the client does differently. Empty if nothing is lost. */
  readonly notes: readonly string[];
  /** The name of a secret that the client asks for. */
  readonly input?: string;
}

/** `key` names the value in notes. */
export function writePlaceholders(value: EntryValue, dialect: Dialect, label: string, key: string): WrittenValue {
  return isSecretReference(value)
    ? writeReference(value, dialect, label, key)
    : writeText(splitEnvReferences(value), dialect, label, key);
}

function writeText(
  parts: readonly (string | EnvReference)[],
  dialect: Dialect,
  label: string,
  key: string,
): WrittenValue {
  const notes: string[] = [];
  const texts = parts.map((part) => {
    if (typeof part === "string") return part;
    const written = dialect.write({ type: "variable", ...part });
    if (written !== undefined) return written;
    const withoutDefault = dialect.write({ type: "variable", name: part.name });
    if (withoutDefault !== undefined) {
      notes.push(`${key}: the default of ${part.name} is left out, because ${label} has no defaults`);
      return withoutDefault;
    }
    notes.push(`${key}: ${label} does not expand \${${part.name}}; replace it with the value`);
    return `\${${part.name}}`;
  });
  const text = texts.join("");
  if (!readsBack(text, parts, dialect)) notes.push(`${key}: ${label} would expand a part that Plugboard keeps as text`);
  return { text, notes };
}

/** Returns whether the client finds exactly the placeholders that were written. */
function readsBack(text: string, parts: readonly (string | EnvReference)[], dialect: Dialect): boolean {
  const expected = parts.filter((part) => typeof part !== "string");
  const found = findPlaceholders(text, dialect).map(({ placeholder }) => placeholder);
  // For a client without variables, each `${NAME}` was written as text.
  if (dialect.write({ type: "variable", name: "X" }) === undefined) return found.length === 0;
  const isSame = (placeholder: Placeholder, index: number) =>
    placeholder.type === "variable" && placeholder.name === expected[index]?.name;
  return found.length === expected.length && found.every(isSame);
}

function writeReference(
  reference: Exclude<EntryValue, string>,
  dialect: Dialect,
  label: string,
  key: string,
): WrittenValue {
  const placeholder = toPlaceholder(reference);
  const written = placeholder && dialect.write(placeholder);
  if (written !== undefined) {
    return { text: written, notes: [], ...(placeholder?.type === "secret" && { input: placeholder.name }) };
  }
  const name = toVariableName("$secret" in reference ? reference.$secret : key);
  const variable = dialect.write({ type: "variable", name });
  const remedy =
    variable === undefined
      ? `replace \${${name}} with the value`
      : `set the environment variable ${name} before you start ${label}`;
  return {
    text: variable ?? `\${${name}}`,
    notes: [`${key}: ${label} can't read ${describeReference(reference)}; ${remedy}`],
  };
}

function toPlaceholder(reference: Exclude<EntryValue, string>): Placeholder | undefined {
  if ("$secret" in reference) return { type: "secret", name: reference.$secret };
  // No client expands variables in the path of a file.
  const hasPath = "$file" in reference && !reference.$file.includes("${");
  return hasPath ? { type: "file", path: reference.$file } : undefined;
}
