/** Returns the names of the profiles that are in effect. */
import { inspectConfig } from "@plugboard/host/config-commands";
import type { ManagedPlace } from "./host-management.ts";

export async function effectiveProfiles(place: ManagedPlace): Promise<string[]> {
  const names = new Set<string>();
  for (const { layer } of await inspectConfig(place)) {
    for (const [name, profile] of layer?.profiles ?? []) {
      // An invalid profile hides the one of that name in a lower layer.
      if (profile) names.add(name);
      else names.delete(name);
    }
  }
  return [...names];
}
