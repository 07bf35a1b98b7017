/** Finds secrets that a definition contains in plain text. Returns where they are, never their values. Pure. */
import type { EntryValue } from "@plugboard/contracts";
import type { ServerDefinition } from "../../definition/definition.ts";
import { isPlainSecret, isSecretUrl, secretArguments } from "./is-plain-secret.ts";

export interface PlainSecret {
  /** The variable, the header or the setting, or a text such as `argument 2`. */
  readonly key: string;
  /** Absent for a URL, which can't refer to a stored secret. */
  readonly suggestedName?: string;
}

/** Shorter than the limit of the secret store, so that a number can follow. */
const MAX_SECRET_NAME_LENGTH = 120;

export function findPlainSecrets(definition: ServerDefinition, id: string): PlainSecret[] {
  if (definition.transport === "sdk") return [];
  const isSecretInUrl = definition.transport !== "stdio" && isSecretUrl(definition.url);
  const keys = definition.transport === "stdio" ? stdioSecrets(definition) : remoteSecrets(definition);
  return [
    ...(isSecretInUrl ? [{ key: "url" }] : []),
    ...keys.map((key) => ({ key, suggestedName: suggestSecretName(id, key) })),
  ];
}

/** Suggests a name for a secret of a server. `key` is its variable or header. */
export function suggestSecretName(id: string, key: string): string {
  const name = `${id}.${key}`.replace(/[^A-Za-z0-9_.-]+/g, "-").slice(0, MAX_SECRET_NAME_LENGTH);
  // The secret store rejects a name that starts with `.` or `-`. A server id may start with `-`.
  return name.replace(/^[.-]+/, "") || "secret";
}

function stdioSecrets({ args, env }: Extract<ServerDefinition, { transport: "stdio" }>): string[] {
  return [...namedSecrets(env), ...secretArguments(args).map((index) => `argument ${index + 1}`)];
}

function remoteSecrets({ headers, auth }: Exclude<ServerDefinition, { transport: "stdio" | "sdk" }>): string[] {
  const { clientSecret } = { clientSecret: undefined, ...auth };
  return [
    ...namedSecrets(headers),
    ...(clientSecret !== undefined && isPlainSecret("client_secret", clientSecret) ? ["client_secret"] : []),
  ];
}

function namedSecrets(values: { readonly [name: string]: EntryValue }): string[] {
  return Object.entries(values).flatMap(([name, value]) => (isPlainSecret(name, value) ? [name] : []));
}
