/** Makes the function that reads the config of a workspace, with the servers that the user trusts. */
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import { ProjectLayerCache } from "../config/read/project-layer-cache.ts";
import { readConfig } from "../config/read/read-config.ts";
import type { Config } from "../config/read/read-config.ts";
import type { HostOptions } from "./host-options.ts";
import type { SharedState } from "./shared-state.ts";
import { definitionHash } from "../trust/definition-hash.ts";

export type ConfigReader = (spec: WorkspaceSpec) => Promise<Config>;

export function makeConfigReader(
  state: SharedState,
  env: Env,
  { config: layers, managedConfigPath }: Pick<HostOptions, "config" | "managedConfigPath">,
): ConfigReader {
  const projectLayerCache = new ProjectLayerCache();
  const isTrusted = (server: Parameters<typeof definitionHash>[0]) =>
    state.trust.isTrusted({ ...server, hash: definitionHash(server) });
  return (spec) =>
    readConfig(spec, env, {
      layers,
      loadTrust: async () => {
        await state.open();
        return isTrusted;
      },
      projectLayerCache,
      ...(managedConfigPath !== undefined && { managedConfigPath }),
    });
}
