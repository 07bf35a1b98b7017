/**
 * Returns the part of the managed layer that applies to every program: `deny` and
 * `ask` rules, and disabled servers. The rest applies only to programs that opt in.
 */
import type { Layer } from "./read-layer.ts";

export function managedRestrictions(layer: Layer): Layer {
  const disabledServers = layer.servers.flatMap(({ id, definition }) =>
    "invalid" in definition || definition.enabled ? [] : [{ id, enabled: false }],
  );
  return {
    ...layer,
    servers: [],
    switches: [...disabledServers, ...layer.switches.filter(({ enabled }) => !enabled)],
    rules: layer.rules.filter(({ effect }) => effect !== "allow"),
    naming: undefined,
    profiles: new Map(),
  };
}
