/** Selects the variables that a chat in a running host needs, because the host has another environment. */
import type { Env } from "@plugboard/contracts";
import { pathVariables, selectVariables } from "@plugboard/config";

/** `variables`: the variables that the definitions of the servers refer to. Adds those of models. */
export async function chatEnv(env: Env, variables: readonly string[]): Promise<{ [name: string]: string }> {
  const { modelVariables } = await import("@plugboard/agent/chat");
  return { ...pathVariables(env), ...selectVariables(env, [...variables, ...modelVariables()]) };
}
