/** Finds secrets that a definition contains in plain text. The notes name them and never quote a value. */
import type { EntryValue } from "@plugboard/contracts";
import type { ServerDefinition } from "../../config/definition/definition.ts";
import { envReferencesIn } from "../../lib/env-references.ts";
import { isSecretName } from "../../redaction/is-secret-name.ts";
import { looksLikeSecret } from "../../redaction/looks-like-secret.ts";
import { maskArguments, maskUrlWithDefaults } from "../../redaction/mask-text.ts";

export function findPlainSecrets(definition: ServerDefinition, id: string): string[] {
  if (definition.transport === "sdk") return [];
  const names = definition.transport === "stdio" ? stdioSecrets(definition) : remoteSecrets(definition);
  return names.map(
    (name) =>
      `${name} is a secret in plain text; to move it, run "plugboard secret set ${secretName(id, name)}" and refer to it by { "$secret": "${secretName(id, name)}" }`,
  );
}

function stdioSecrets({ args, env }: Extract<ServerDefinition, { transport: "stdio" }>): string[] {
  const masked = maskArguments(args);
  const secretArgs = args.flatMap((arg, index) =>
    isPlain(arg) && masked[index] !== arg ? [`argument ${index + 1}`] : [],
  );
  return [...namedSecrets(env), ...secretArgs];
}

function remoteSecrets({ url, headers, auth }: Exclude<ServerDefinition, { transport: "stdio" | "sdk" }>): string[] {
  const { clientSecret } = { clientSecret: undefined, ...auth };
  return [
    ...(maskUrlWithDefaults(url) === url ? [] : ["url"]),
    ...namedSecrets(headers),
    ...(clientSecret !== undefined && isPlain(clientSecret) ? ["client_secret"] : []),
  ];
}

function namedSecrets(values: { readonly [name: string]: EntryValue }): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isPlain(value) && (isSecretName(name) || looksLikeSecret(value)) ? [name] : [],
  );
}

function isPlain(value: EntryValue): value is string {
  return typeof value === "string" && value !== "" && envReferencesIn(value).length === 0;
}

function secretName(id: string, name: string): string {
  return `${id}-${name}`.replace(/[^A-Za-z0-9_.-]+/g, "-");
}
