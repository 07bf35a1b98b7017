/** Lists the environment variables that the definitions of a workspace refer to. */
import type { Env } from "@plugboard/contracts";
import { expandableTexts } from "../definition/definition-references.ts";
import { readConfig } from "../read/read-config.ts";
import type { ReadConfigOptions } from "../read/read-config.ts";
import type { InvocationSpec } from "../read/read-layer.ts";
import { envReferencesIn } from "../../lib/env-references.ts";

/** Includes servers that wait for trust, because another process may decide on trust. */
export async function referencedNames(spec: InvocationSpec, env: Env, options: ReadConfigOptions): Promise<string[]> {
  const { servers, pending } = await readConfig(spec, env, options);
  return [...servers.values(), ...pending]
    .flatMap(({ definition }) => ("invalid" in definition ? [] : expandableTexts(definition)))
    .flatMap(envReferencesIn)
    .map(({ name }) => name);
}
