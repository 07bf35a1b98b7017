/** Lists the environment variables that definitions refer to. */
import { expandableTexts } from "../definition/definition-references.ts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { envReferencesIn } from "../../lib/env-references.ts";

export function referencedNames(servers: readonly ConfiguredServer[]): string[] {
  const names = servers
    .flatMap(({ definition }) => ("invalid" in definition ? [] : expandableTexts(definition)))
    .flatMap(envReferencesIn)
    .map(({ name }) => name);
  return [...new Set(names)];
}
