/**
 * Computes the hash of a server definition, which an approval is bound to. Hashes the definition as written: the user
 * agrees to send `${TOKEN}`, not its current value. The table of keys says which keys are left out: those that say
 * when the server runs and how long it may take.
 */
import { canonicalDigest } from "@plugboard/store";
import { canonicalJson, entryRows } from "@plugboard/contracts";
import type { EntryRow } from "@plugboard/contracts";
import { AUTH_KEY_TYPES } from "./definition.ts";
import { secretReferencesOf, expandableTexts } from "./definition-references.ts";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import { envReferencesIn } from "../lib/env-references.ts";
import { toSnakeCase } from "../lib/key-case.ts";
import { describeReference } from "./secret-reference.ts";

/** Returns the same hash for a key that is absent and one that has its default, so that new keys change no hash. */
export function definitionHash({ id, folder, definition, enabledBy }: ConfiguredServer): string {
  const fields = Object.entries(definition).filter(([key, value]) => isHashed(toSnakeCase(key), value));
  return canonicalDigest({ id, folder, switchedOnBy: enabledBy ?? null, definition: Object.fromEntries(fields) });
}

function isHashed(key: string, value: unknown): boolean {
  const row = ROWS.get(key);
  if (!row) return true;
  return row.hashed && (row.default === undefined || canonicalJson(row.default) !== canonicalJson(value));
}

const ROWS: ReadonlyMap<string, EntryRow> = new Map(entryRows());

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
  const paths = Object.entries(auth).filter(([key]) => AUTH_KEY_TYPES.get(key) === "file");
  return paths.flatMap(([, path]) => (typeof path === "string" ? [`$file:${path}`] : []));
}
