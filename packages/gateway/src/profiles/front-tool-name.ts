import { FRONT_NAMING, MAX_FRONT_NAME_LENGTH, toolName } from "@plugboard/host/internal";
import type { Profile } from "@plugboard/config";
import type { ToolKey } from "@plugboard/host/internal";

/** Returns the name that the clients of a profile see. Without a profile, the name for all other clients. */
export function frontToolName({ server, tool }: ToolKey, { naming }: Pick<Profile, "naming"> = {}): string {
  return toolName(server, tool, naming ?? FRONT_NAMING, MAX_FRONT_NAME_LENGTH);
}
