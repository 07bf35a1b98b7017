/** Lists the names under which the clients of the gateway see a tool. */
import type { FrontNames } from "@plugboard/contracts";
import { frontToolName, selectionOf } from "@plugboard/gateway";
import type { ToolKey } from "@plugboard/host/internal";
import { effectiveProfiles } from "./effective-profiles.ts";
import type { ManagedPlace } from "./host-management.ts";

export async function listFrontNames(key: ToolKey, place: ManagedPlace): Promise<FrontNames> {
  const name = frontToolName(key);
  const selecting = [...(await effectiveProfiles(place))].filter(([, profile]) =>
    selectionOf(profile).includesTool(key),
  );
  const named = selecting.map(([profile, definition]) => ({ profile, name: frontToolName(key, definition) }));
  return { name, profiles: named.filter((one) => one.name !== name) };
}
