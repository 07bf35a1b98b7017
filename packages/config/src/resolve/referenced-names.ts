/** Lists the environment variables that the config refers to. */
import { expandableTexts } from "../definition/definition-references.ts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { expandableTextsOfValue } from "../definition/secret-reference.ts";
import type { ModelSection } from "../read/read-model-section.ts";
import { envReferencesIn } from "../lib/env-references.ts";

export function referencedNames(servers: readonly ConfiguredServer[], { providers }: ModelSection): string[] {
  const ofServers = servers.flatMap(({ definition }) => ("invalid" in definition ? [] : expandableTexts(definition)));
  const ofModels = [...providers.values()].flatMap(({ apiKey }) =>
    apiKey === undefined ? [] : expandableTextsOfValue(apiKey),
  );
  const names = [...ofServers, ...ofModels].flatMap(envReferencesIn).map(({ name }) => name);
  return [...new Set(names)];
}
