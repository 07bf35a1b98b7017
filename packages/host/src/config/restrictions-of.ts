/**
 * What the managed layer imposes on a program that does not read it: its `deny` and
 * `ask` rules and what it switches off. What it adds needs the program to opt in.
 */
import type { Layer } from "./read-layer.ts";

export function restrictionsOf(layer: Layer): Layer {
  const defined = layer.servers.flatMap(({ id, definition }) =>
    "invalid" in definition || definition.enabled ? [] : [{ id, enabled: false }],
  );
  return {
    ...layer,
    servers: [],
    switches: [...defined, ...layer.switches.filter(({ enabled }) => !enabled)],
    rules: layer.rules.filter(({ effect }) => effect !== "allow"),
    naming: undefined,
    profiles: new Map(),
  };
}
