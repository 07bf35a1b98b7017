/**
 * Selects the environment variables that the config of a workspace needs: the paths of config files, and the
 * variables that entries refer to.
 */
import type { Env } from "@plugboard/contracts";
import { readConfigFile } from "../files/read-config-file.ts";
import { findLayerFiles } from "../read/find-layer-files.ts";
import type { ReadConfigOptions } from "../read/read-config.ts";
import type { InvocationSpec } from "../read/read-layer.ts";
import { pathVariables, selectVariables } from "./path-variables.ts";

export async function referencedEnv(
  spec: InvocationSpec,
  env: Env,
  options: ReadConfigOptions = {},
): Promise<{ [name: string]: string }> {
  return { ...pathVariables(env), ...selectVariables(env, await entryVariables(spec, env, options)) };
}

/** Validates the entries only if a file may contain `${…}`, because most files contain none. */
async function entryVariables(spec: InvocationSpec, env: Env, options: ReadConfigOptions): Promise<string[]> {
  const { servers = {}, configFiles = [] } = spec;
  const { layerFiles } = await findLayerFiles(spec, env, options);
  const texts = await Promise.all(layerFiles.map(({ file }) => readConfigFile(file)));
  // A file from `--config` may have the format of another client, with other placeholders for variables.
  const needsEntries = configFiles.length > 0 || [JSON.stringify(servers), ...texts].some(mayReferToVariables);
  if (!needsEntries) return [];
  const [{ readConfig }, { referencedNames }] = await Promise.all([
    import("../read/read-config.ts"),
    import("./referenced-names.ts"),
  ]);
  const { servers: configured, pending, model } = await readConfig(spec, env, options);
  return referencedNames([...configured.values(), ...pending], model);
}

/** Also looks for `\u`, because JSON may spell `$` and `{` as escape sequences. */
function mayReferToVariables(text = ""): boolean {
  return text.includes("${") || text.includes("\\u");
}
