/** Moves plain-text secrets out of a definition. The new definition only refers to them by name. Pure. */
import type { EntryValue } from "@plugboard/contracts";
import type { ServerDefinition } from "../../definition/definition.ts";
import { envReferencesIn, replaceEnvReferences } from "../../lib/env-references.ts";
import { isPlainSecret } from "./is-plain-secret.ts";

export interface ExtractedSecret {
  /** The name in the secret store. */
  readonly name: string;
  /** The variable or header that has the value. */
  readonly key: string;
  readonly value: string;
}

export interface ExtractedSecrets {
  readonly definition: ServerDefinition;
  readonly secrets: readonly ExtractedSecret[];
}

/** `nameOf` returns the name under which the value of a variable or header is stored. */
export function extractSecrets(
  definition: ServerDefinition,
  nameOf: (key: string, value: string) => string,
): ExtractedSecrets {
  const secrets: ExtractedSecret[] = [];
  const extracted = replaceSecrets(definition, (key, text) => {
    // A definition writes `$${` for `${`. A stored secret is used as it is, so it gets `${`.
    const value = replaceEnvReferences(text, () => "");
    const name = nameOf(key, value);
    secrets.push({ name, key, value });
    return { $secret: name };
  });
  return { definition: extracted, secrets };
}

/** Replaces each plain-text secret with the reference that the other definition has in its place, if it has one. */
export function adoptReferences(definition: ServerDefinition, other: ServerDefinition): ServerDefinition {
  const references = namedValues(other);
  return replaceSecrets(definition, (key, value) => {
    const reference = references.get(key);
    return typeof reference === "object" && "$secret" in reference ? reference : value;
  });
}

/** A value with `${…}` stays, because the references in a stored secret would not be expanded. */
function replaceSecrets(
  definition: ServerDefinition,
  replace: (key: string, value: string) => EntryValue,
): ServerDefinition {
  const replaceValue = (key: string, value: EntryValue): EntryValue => {
    const isLiteral = typeof value === "string" && envReferencesIn(value).length === 0;
    return isLiteral && isPlainSecret(key, value) ? replace(key, value) : value;
  };
  const replaceIn = (values: { readonly [key: string]: EntryValue }) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, replaceValue(key, value)]));
  if (definition.transport === "sdk") return definition;
  if (definition.transport === "stdio") return { ...definition, env: replaceIn(definition.env) };
  const { auth } = definition;
  const clientSecret = "clientSecret" in auth ? auth.clientSecret : undefined;
  return {
    ...definition,
    headers: replaceIn(definition.headers),
    ...(clientSecret !== undefined && {
      auth: { ...auth, clientSecret: replaceValue("client_secret", clientSecret) } as typeof auth,
    }),
  };
}

function namedValues(definition: ServerDefinition): ReadonlyMap<string, EntryValue> {
  if (definition.transport === "sdk") return new Map();
  if (definition.transport === "stdio") return new Map(Object.entries(definition.env));
  const { headers, auth } = definition;
  const clientSecret = "clientSecret" in auth ? auth.clientSecret : undefined;
  return new Map([
    ...Object.entries(headers),
    ...(clientSecret === undefined ? [] : [["client_secret", clientSecret] as const]),
  ]);
}
