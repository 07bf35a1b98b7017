/** Reads the servers that are in effect in a folder, without starting a host. Untrusted servers are not in effect. */
import type { Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "./config/definition/definition.ts";
import type { InvocationSpec } from "./config/read/read-layer.ts";
import { readStaticConfig } from "./read-static-config.ts";

export interface EffectiveServers {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** The ids of servers that wait for trust. */
  readonly untrusted: readonly string[];
}

export async function readEffectiveServers(spec: InvocationSpec, env: Env): Promise<EffectiveServers> {
  const { config } = await readStaticConfig({ env }, spec);
  return { servers: config.servers, untrusted: [...new Set(config.pending.map(({ id }) => id))] };
}
