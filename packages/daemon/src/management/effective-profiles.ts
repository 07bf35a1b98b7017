/** Returns the profiles that are in effect, by name. */
import { inspectConfig } from "@plugboard/host/config-commands";
import type { Profile } from "@plugboard/host/internal";
import type { ManagedPlace } from "./host-management.ts";

export async function effectiveProfiles(place: ManagedPlace): Promise<ReadonlyMap<string, Profile>> {
  const profiles = new Map<string, Profile>();
  for (const { layer } of await inspectConfig(place)) {
    for (const [name, profile] of layer?.profiles ?? []) {
      // An invalid profile hides the one of that name in a lower layer.
      if (profile) profiles.set(name, profile);
      else profiles.delete(name);
    }
  }
  return profiles;
}
