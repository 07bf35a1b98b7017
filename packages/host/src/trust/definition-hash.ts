/**
 * What a consent to a project's server is bound to. As written, unexpanded: the
 * user agrees to `${TOKEN}` being sent, not to what it holds today. Everything
 * counts that decides what is run or called, where, with what, and what it may
 * do; so does every key that comes to be known later. Times and whether it is
 * on count for nothing.
 */
import { canonicalDigest } from "../canonical-digest.ts";
import { AUTH_PATHS } from "../config/auth-paths.ts";
import { secretsOf, textsOf } from "../config/definition-values.ts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition.ts";
import { referencesIn } from "../config/references.ts";
import { nameOfReference } from "../config/secret-reference.ts";

const HARMLESS: ReadonlySet<string> = new Set<keyof ServerDefinition>([
  "enabled",
  "startupTimeoutMs",
  "requestTimeoutMs",
  "maxTimeoutMs",
  "healthIntervalMs",
  "start",
  "idleStopMs",
  "retry",
]);

export function definitionHash({ id, folder, definition, switchedOnBy }: ConfiguredServer): string {
  const decisive = Object.entries(definition).filter(([key]) => !HARMLESS.has(key));
  return canonicalDigest({ id, folder, switchedOnBy: switchedOnBy ?? null, definition: Object.fromEntries(decisive) });
}

/** Every environment variable (`NAME`), secret (`$secret:name`) and file (`$file:path`) that a definition refers to. */
export function variablesOf({ definition }: ConfiguredServer): string[] {
  if ("invalid" in definition) return [];
  const variables = textsOf(definition).flatMap(referencesIn);
  const named = [
    ...variables.map(({ name }) => name),
    ...secretsOf(definition).map(nameOfReference),
    ...files(definition),
  ];
  return [...new Set(named)];
}

/** What the definition has read without calling it a reference. */
function files(definition: ServerDefinition): string[] {
  if (!("auth" in definition)) return [];
  const { auth } = definition;
  const paths = Object.entries(auth).filter(([key]) => AUTH_PATHS.has(key));
  return paths.flatMap(([, path]) => (typeof path === "string" ? [`$file:${path}`] : []));
}
