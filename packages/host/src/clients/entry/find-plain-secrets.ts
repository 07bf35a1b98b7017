/** Finds secrets that a definition contains in plain text. The notes name them and never quote a value. */
import type { EntryValue } from "@plugboard/contracts";
import type { ServerDefinition } from "../../config/definition/definition.ts";
import { isPlainSecret, isSecretUrl, secretArguments } from "./is-plain-secret.ts";

/** Shorter than the limit of the secret store, so that a number can follow. */
const MAX_SECRET_NAME_LENGTH = 120;

export function findPlainSecrets(definition: ServerDefinition, id: string): string[] {
  if (definition.transport === "sdk") return [];
  const names = definition.transport === "stdio" ? stdioSecrets(definition) : remoteSecrets(definition);
  return names.map((name) => {
    const secret = plainSecretName(id, name);
    return `${name} is a secret in plain text; better: plugboard secret set ${secret}, then write { "$secret": "${secret}" }`;
  });
}

/** Returns the name under which a secret of a server is stored. `key` is its variable or header. */
export function plainSecretName(id: string, key: string): string {
  return `${id}.${key}`.replace(/[^A-Za-z0-9_.-]+/g, "-").slice(0, MAX_SECRET_NAME_LENGTH);
}

function stdioSecrets({ args, env }: Extract<ServerDefinition, { transport: "stdio" }>): string[] {
  return [...namedSecrets(env), ...secretArguments(args).map((index) => `argument ${index + 1}`)];
}

function remoteSecrets({ url, headers, auth }: Exclude<ServerDefinition, { transport: "stdio" | "sdk" }>): string[] {
  const { clientSecret } = { clientSecret: undefined, ...auth };
  return [
    ...(isSecretUrl(url) ? ["url"] : []),
    ...namedSecrets(headers),
    ...(clientSecret !== undefined && isPlainSecret("client_secret", clientSecret) ? ["client_secret"] : []),
  ];
}

function namedSecrets(values: { readonly [name: string]: EntryValue }): string[] {
  return Object.entries(values).flatMap(([name, value]) => (isPlainSecret(name, value) ? [name] : []));
}
