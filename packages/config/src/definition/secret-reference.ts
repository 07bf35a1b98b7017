/**
 * References to secrets that are stored outside the config: `{"$secret": "name"}`, `{"$file": "path"}`, `{"$cmd":
 * ["program", …]}`.
 */
import type { EntryValue, SecretReference, ConfigSource } from "@plugboard/contracts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { validateEnvReferences } from "../lib/env-references.ts";

const REFERENCE_KEYS = ["$secret", "$file", "$cmd"] as const;

/** The layers that may run programs with `$cmd`. A project may not. */
const COMMAND_SOURCES: ReadonlySet<ConfigSource> = new Set(["user", "managed"]);

export function isSecretReference(value: EntryValue): value is SecretReference {
  return typeof value !== "string";
}

/** Returns an error message unless the value is a string or a reference to a secret. */
export function validateEntryValue(value: unknown): string | undefined {
  if (typeof value === "string") return validateEnvReferences(value);
  const [key, content] = singleEntry(value) ?? [];
  if (key === "$cmd") {
    const isCommand = Array.isArray(content) && content.length > 0 && content[0] !== "" && content.every(isString);
    return isCommand
      ? content.map(validateEnvReferences).find(Boolean)
      : 'must have a list in "$cmd": the program and its arguments';
  }
  if (!REFERENCE_KEYS.some((referenceKey) => referenceKey === key)) {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? 'must be a string, or an object with only "$secret", "$file" or "$cmd"'
      : "must be a string";
  }
  return typeof content === "string" && content !== ""
    ? validateEnvReferences(content)
    : `must have a string in "${key}"`;
}

/** Returns an issue for each `$cmd` in a layer that may not run programs. */
export function findForbiddenReferences(
  entry: unknown,
  source: ConfigSource,
  path: readonly string[] = [],
): EntryIssue[] {
  if (COMMAND_SOURCES.has(source) || typeof entry !== "object" || entry === null) return [];
  if (Object.hasOwn(entry, "$cmd")) {
    return [{ path, message: 'has "$cmd", which is allowed only in your own config file and the administrator\'s' }];
  }
  return Object.entries(entry).flatMap(([key, value]) => findForbiddenReferences(value, source, [...path, key]));
}

/** Describes a reference for people. Omits the arguments of a command, because they may contain a secret. */
export function describeReference(reference: SecretReference): string {
  if ("$secret" in reference) return `$secret:${reference.$secret}`;
  return "$file" in reference ? `$file:${reference.$file}` : `$cmd:${reference.$cmd[0]}`;
}

/** Returns the strings in which `${…}` is expanded. */
export function expandableTextsOfValue(value: EntryValue): readonly string[] {
  if (typeof value === "string") return [value];
  if ("$secret" in value) return [];
  return "$file" in value ? [value.$file] : value.$cmd;
}

/** Returns the key and the value of an object with exactly one key. */
function singleEntry(value: unknown): [string, unknown] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [first, ...others] = Object.entries(value);
  return others.length === 0 ? first : undefined;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
