/** Returns the profiles that are in effect, by name. */
import { inspectConfig } from "@plugboard/config/edit";
import type { Profile } from "@plugboard/contracts";
import type { OperationsPlace } from "../operations-context.ts";

export async function effectiveProfiles(place: OperationsPlace): Promise<ReadonlyMap<string, Profile>> {
  const profiles = new Map<string, Profile>();
  for (const { layer } of await inspectConfig(place)) {
    for (const [name, profile] of layer?.profiles ?? []) {
      // An invalid profile hides the profile of the same name in a lower layer.
      if (profile) profiles.set(name, profile);
      else profiles.delete(name);
    }
  }
  return profiles;
}
