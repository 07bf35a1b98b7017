import { FRONT_NAMING, MAX_FRONT_NAME_LENGTH } from "../names/naming.ts";
import { toolName } from "../names/tool-name.ts";
import type { Profile } from "@plugboard/contracts";
import type { ToolKey } from "../names/name-table.ts";

/**
 * Returns the name of a tool for gateway clients of a profile. Without a profile, returns the name for other clients.
 */
export function frontToolName({ server, tool }: ToolKey, { naming }: Pick<Profile, "naming"> = {}): string {
  return toolName(server, tool, naming ?? FRONT_NAMING, MAX_FRONT_NAME_LENGTH);
}
