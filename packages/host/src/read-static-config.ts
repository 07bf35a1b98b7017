/** Reads the config of a workspace, with the servers that the user trusts, without a host. */
import { randomUUID } from "node:crypto";
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp/clock";
import type { Config } from "./config/read/read-config.ts";
import { makeConfigReader } from "./config-reader.ts";
import type { HostOptions } from "./host-options.ts";
import { SharedState } from "./shared-state.ts";

export type StaticConfigOptions = Pick<HostOptions, "config" | "managedConfigPath"> & { readonly env: Env };

export interface StaticConfig {
  readonly config: Config;
  /** The file with the stored logins. Undefined if the state folder can't be used. */
  readonly loginFile: string | undefined;
}

/** Ignores a state folder that can't be used. The commands that store something report it. */
export async function readStaticConfig(options: StaticConfigOptions, spec: WorkspaceSpec): Promise<StaticConfig> {
  const { env } = options;
  const state = new SharedState({ env, clock: systemClock, newId: randomUUID, emit: () => {}, persist: true });
  const config = await makeConfigReader(state, env, options)(spec);
  return { config, loginFile: state.loginFile };
}
