/** Where a secret is that is written down elsewhere: `{"$secret": "name"}`, `{"$file": "path"}`, `{"$cmd": ["program", …]}`. */
import type { EntryValue, SecretReference, Source } from "@plugboard/contracts";
import type { Mistake } from "./explain-issue.ts";
import { wrongReference } from "./references.ts";

const KINDS = ["$secret", "$file", "$cmd"] as const;

/** A program is run only where the user or the administrator says so, never because a project does. */
const MAY_RUN: ReadonlySet<Source> = new Set(["user", "managed"]);

export function isSecretReference(value: EntryValue): value is SecretReference {
  return typeof value !== "string";
}

/** What is wrong with what should be a text or a reference to a secret. */
export function wrongValue(value: unknown): string | undefined {
  if (typeof value === "string") return wrongReference(value);
  const [kind, inside] = oneMember(value) ?? [];
  if (kind === "$cmd") {
    const words = Array.isArray(inside) && inside.length > 0 && inside[0] !== "" && inside.every(isText);
    return words ? inside.map(wrongReference).find(Boolean) : 'must have a list in "$cmd": a program and its arguments';
  }
  if (!KINDS.some((known) => known === kind)) {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? 'must be a string, or have nothing but "$secret", "$file" or "$cmd"'
      : "must be a string";
  }
  return typeof inside === "string" && inside !== "" ? wrongReference(inside) : `must have a text in "${kind}"`;
}

/** Where an entry refers to what it may not refer to from there. */
export function refusedReferences(entry: unknown, source: Source, path: readonly string[] = []): Mistake[] {
  if (MAY_RUN.has(source) || typeof entry !== "object" || entry === null) return [];
  if (Object.hasOwn(entry, "$cmd")) {
    return [{ path, what: 'has "$cmd", which only your own config file and the administrator\'s may have' }];
  }
  return Object.entries(entry).flatMap(([key, inside]) => refusedReferences(inside, source, [...path, key]));
}

/** For people: it names a secret and holds none. Of a command only the program, for its arguments may be one. */
export function nameOfReference(reference: SecretReference): string {
  if ("$secret" in reference) return `$secret:${reference.$secret}`;
  return "$file" in reference ? `$file:${reference.$file}` : `$cmd:${reference.$cmd[0]}`;
}

/** The texts in which `${…}` is expanded. */
export function textsOfValue(value: EntryValue): readonly string[] {
  if (typeof value === "string") return [value];
  if ("$secret" in value) return [];
  return "$file" in value ? [value.$file] : value.$cmd;
}

function oneMember(value: unknown): [string, unknown] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [first, ...others] = Object.entries(value);
  return others.length === 0 ? first : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
