/** Where a secret is that is written down elsewhere: `{"$secret": "name"}`, `{"$file": "path"}`, `{"$cmd": ["program", …]}`. */
import type { EntryValue, SecretReference, ConfigSource } from "@plugboard/contracts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { validateEnvReferences } from "../../lib/env-references.ts";

const REFERENCE_KEYS = ["$secret", "$file", "$cmd"] as const;

/** A program is run only where the user or the administrator says so, never because a project does. */
const COMMAND_SOURCES: ReadonlySet<ConfigSource> = new Set(["user", "managed"]);

export function isSecretReference(value: EntryValue): value is SecretReference {
  return typeof value !== "string";
}

/** What is wrong with what should be a text or a reference to a secret. */
export function validateEntryValue(value: unknown): string | undefined {
  if (typeof value === "string") return validateEnvReferences(value);
  const [kind, inside] = singleEntry(value) ?? [];
  if (kind === "$cmd") {
    const words = Array.isArray(inside) && inside.length > 0 && inside[0] !== "" && inside.every(isString);
    return words
      ? inside.map(validateEnvReferences).find(Boolean)
      : 'must have a list in "$cmd": a program and its arguments';
  }
  if (!REFERENCE_KEYS.some((known) => known === kind)) {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? 'must be a string, or have nothing but "$secret", "$file" or "$cmd"'
      : "must be a string";
  }
  return typeof inside === "string" && inside !== "" ? validateEnvReferences(inside) : `must have a text in "${kind}"`;
}

/** Where an entry refers to what it may not refer to from there. */
export function findForbiddenReferences(
  entry: unknown,
  source: ConfigSource,
  path: readonly string[] = [],
): EntryIssue[] {
  if (COMMAND_SOURCES.has(source) || typeof entry !== "object" || entry === null) return [];
  if (Object.hasOwn(entry, "$cmd")) {
    return [{ path, what: 'has "$cmd", which only your own config file and the administrator\'s may have' }];
  }
  return Object.entries(entry).flatMap(([key, inside]) => findForbiddenReferences(inside, source, [...path, key]));
}

/** For people: it names a secret and holds none. Of a command only the program, for its arguments may be one. */
export function describeReference(reference: SecretReference): string {
  if ("$secret" in reference) return `$secret:${reference.$secret}`;
  return "$file" in reference ? `$file:${reference.$file}` : `$cmd:${reference.$cmd[0]}`;
}

/** The texts in which `${…}` is expanded. */
export function expandableTextsOfValue(value: EntryValue): readonly string[] {
  if (typeof value === "string") return [value];
  if ("$secret" in value) return [];
  return "$file" in value ? [value.$file] : value.$cmd;
}

function singleEntry(value: unknown): [string, unknown] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [first, ...others] = Object.entries(value);
  return others.length === 0 ? first : undefined;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
