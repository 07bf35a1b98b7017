/** Replaces references to secrets with their values, for a definition that is only used in memory. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { RegistrySecret, Json } from "@plugboard/contracts";

/** References to secrets without a value stay. */
export function withSecretValues(value: Json, secrets: readonly RegistrySecret[]): Json {
  if (Array.isArray(value)) return value.map((item) => withSecretValues(item, secrets));
  if (!isJsonObject(value)) return value;
  const { $secret: name } = value;
  const found = secrets.find((secret) => secret.name === name)?.value;
  // Escapes `${`, which would be the beginning of a variable in a definition.
  if (found !== undefined) return found.replaceAll("${", () => "$${");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : withSecretValues(item, secrets)]),
  );
}
