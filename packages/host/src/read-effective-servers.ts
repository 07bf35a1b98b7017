/** Reads the servers that are in effect in a folder, without starting a host. Untrusted servers are not in effect. */
import { randomUUID } from "node:crypto";
import type { Env } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp";
import type { ConfiguredServer } from "./config/definition/definition.ts";
import { readConfig } from "./config/read/read-config.ts";
import type { InvocationSpec } from "./config/read/read-layer.ts";
import { HostState } from "./host-state.ts";
import { definitionHash } from "./trust/definition-hash.ts";

export interface EffectiveServers {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** The ids of servers that wait for trust. */
  readonly untrusted: readonly string[];
}

export async function readEffectiveServers(spec: InvocationSpec, env: Env): Promise<EffectiveServers> {
  const state = new HostState({ env, clock: systemClock, newId: randomUUID, emit: () => {}, persist: true });
  await state.open();
  const isTrusted = (server: ConfiguredServer) => state.trust.isTrusted({ ...server, hash: definitionHash(server) });
  const { servers, pending } = await readConfig(spec, env, { isTrusted });
  return { servers, untrusted: [...new Set(pending.map(({ id }) => id))] };
}
