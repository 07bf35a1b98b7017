/** How tools are named for the clients of the gateway. A profile may have a format of its own. Pure. */
import { FRONT_NAMING, MAX_FRONT_NAME_LENGTH, toolName } from "@plugboard/host/internal";
import type { Naming, Profile, ToolKey } from "@plugboard/host/internal";

interface FrontNaming {
  readonly naming: Naming;
  readonly maxLength: number;
}

export function frontNaming({ naming }: Pick<Profile, "naming">): FrontNaming {
  return { naming: naming ?? FRONT_NAMING, maxLength: MAX_FRONT_NAME_LENGTH };
}

/** Returns the name that the clients of a profile see. Without a profile, the name for all other clients. */
export function frontToolName({ server, tool }: ToolKey, profile: Pick<Profile, "naming"> = {}): string {
  const { naming, maxLength } = frontNaming(profile);
  return toolName(server, tool, naming, maxLength);
}
