/** Returns the config that is in effect, with the servers that the user trusts. Throws CONFIG_INVALID. */
import type { Config } from "@plugboard/config";
import { readStaticConfig } from "../../offline/read-static-config.ts";
import type { OperationsPlace } from "../operations-context.ts";

export async function effectiveConfig({ cwd, env, configFiles, servers }: OperationsPlace): Promise<Config> {
  return (await readStaticConfig({ env }, { cwd, configFiles, ...(servers && { servers }) })).config;
}
