/** Moves the secrets in plain text out of a definition, under names that replace no secret of another server. Pure. */
import { secretReferencesOf } from "../definition/definition-references.ts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { extractSecrets } from "../clients/entry/extract-secrets.ts";
import type { ExtractedSecrets } from "../clients/entry/extract-secrets.ts";
import { suggestSecretName } from "../clients/entry/find-plain-secrets.ts";
import type { SecretNames } from "./secret-names.ts";

/** Names of secrets of the replaced definition are used again, unless another server refers to them (see `choose`). */
export function extractNamedSecrets(
  id: string,
  definition: ServerDefinition,
  replaced: ConfiguredServer["definition"] | undefined,
  names: SecretNames,
): ExtractedSecrets {
  const references = replaced && !("invalid" in replaced) ? secretReferencesOf(replaced) : [];
  const replacedNames = new Set(references.flatMap((reference) => ("$secret" in reference ? [reference.$secret] : [])));
  return extractSecrets(definition, (key, value) => names.choose(suggestSecretName(id, key), value, id, replacedNames));
}
