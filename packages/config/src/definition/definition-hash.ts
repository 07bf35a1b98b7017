/**
 * Computes the hash of a server definition, which an approval is bound to. Hashes the definition as written: the user
 * agrees to send `${TOKEN}`, not its current value. Leaves out only the keys that say
 * when the server runs and how long it may take. A new key is included unless `KEYS_NOT_HASHED` lists it.
 */
import { canonicalDigest } from "@plugboard/store";
import { AUTH_FILE_KEYS } from "./definition.ts";
import { secretReferencesOf, expandableTexts } from "./definition-references.ts";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import { envReferencesIn } from "../lib/env-references.ts";
import { describeReference } from "./secret-reference.ts";

const KEYS_NOT_HASHED: ReadonlySet<string> = new Set<keyof ServerDefinition>([
  "enabled",
  "startupTimeoutMs",
  "requestTimeoutMs",
  "maxTimeoutMs",
  "healthIntervalMs",
  "start",
  "idleStopMs",
  "retry",
]);

export function definitionHash({ id, folder, definition, enabledBy }: ConfiguredServer): string {
  const hashedFields = Object.entries(definition).filter(([key]) => !KEYS_NOT_HASHED.has(key));
  return canonicalDigest({ id, folder, switchedOnBy: enabledBy ?? null, definition: Object.fromEntries(hashedFields) });
}

/** Every environment variable (`NAME`), secret (`$secret:name`) and file (`$file:path`) that a definition refers to. */
export function variablesOf({ definition }: ConfiguredServer): string[] {
  if ("invalid" in definition) return [];
  const variables = expandableTexts(definition).flatMap(envReferencesIn);
  const names = [
    ...variables.map(({ name }) => name),
    ...secretReferencesOf(definition).map(describeReference),
    ...authFiles(definition),
  ];
  return [...new Set(names)];
}

/** Returns the files that the `auth` section reads. */
function authFiles(definition: ServerDefinition): string[] {
  if (!("auth" in definition)) return [];
  const { auth } = definition;
  const paths = Object.entries(auth).filter(([key]) => AUTH_FILE_KEYS.has(key));
  return paths.flatMap(([, path]) => (typeof path === "string" ? [`$file:${path}`] : []));
}
