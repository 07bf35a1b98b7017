/** Lists the names under which the clients of the gateway see a tool. */
import type { FrontNames } from "@plugboard/contracts";
import { frontToolName } from "../../profiles/front-tool-name.ts";
import { selectionOf } from "../../profiles/selection.ts";
import type { ToolKey } from "../../names/name-table.ts";
import { effectiveProfiles } from "../config/effective-profiles.ts";
import type { OperationsPlace } from "../operations-context.ts";

export async function listFrontNames(key: ToolKey, place: OperationsPlace): Promise<FrontNames> {
  const name = frontToolName(key);
  const selecting = [...(await effectiveProfiles(place))].filter(([, profile]) =>
    selectionOf(profile).includesTool(key),
  );
  const named = selecting.map(([profile, definition]) => ({ profile, name: frontToolName(key, definition) }));
  return { name, profiles: named.filter((one) => one.name !== name) };
}
