/**
 * Selects the environment variables that the config of a workspace needs: the paths of config files, and the
 * variables that entries refer to.
 */
import type { Env } from "@plugboard/contracts";
import { expandableTexts } from "../definition/definition-references.ts";
import { readConfig } from "../read/read-config.ts";
import type { ReadConfigOptions } from "../read/read-config.ts";
import type { InvocationSpec } from "../read/read-layer.ts";
import { envReferencesIn } from "../../lib/env-references.ts";

const PATH_VARIABLES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];

/** Includes servers that wait for trust, because another process may decide on trust. */
export async function referencedEnv(
  spec: InvocationSpec,
  env: Env,
  options: ReadConfigOptions = {},
): Promise<{ [name: string]: string }> {
  const { servers, pending } = await readConfig(spec, env, options);
  const references = [...servers.values(), ...pending]
    .flatMap(({ definition }) => ("invalid" in definition ? [] : expandableTexts(definition)))
    .flatMap(envReferencesIn);
  const names = new Set([...PATH_VARIABLES, ...references.map(({ name }) => name)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
