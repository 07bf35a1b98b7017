/** Reads the config of a workspace, with the servers that the user trusts, without a host. */
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import { readConfig } from "@plugboard/config";
import type { Config } from "@plugboard/config";
import type { HostOptions } from "../core/host-options.ts";

export type StaticConfigOptions = Pick<HostOptions, "config" | "managedConfigPath"> & { readonly env: Env };

export interface StaticConfig {
  readonly config: Config;
}

/**
 * If the state folder can't be used, no project server is trusted. Only
 * commands that store something report this error.
 */
export async function readStaticConfig(options: StaticConfigOptions, spec: WorkspaceSpec): Promise<StaticConfig> {
  const { config: layers, managedConfigPath, env } = options;
  const config = await readConfig(spec, env, {
    layers,
    // Loaded on use, because most folders have no project file.
    loadTrust: async () => (await import("./stored-trust.ts")).readStoredTrust(env),
    ...(managedConfigPath !== undefined && { managedConfigPath }),
  });
  return { config };
}
