/** The variable with the ids of the hosts that started a process, and how to read it. */
import type { Env } from "./host-api.ts";

/**
 * The variable with the ids of all hosts that started a process, directly or indirectly; the most recent is last. A
 * host that finds its own id in it has been started by itself.
 */
export const INSTANCE_VARIABLE = "PLUGBOARD_INSTANCE";

export function readInstanceVariable({ [INSTANCE_VARIABLE]: value = "" }: Env): readonly string[] {
  return value.split(",").filter((id) => id !== "");
}
