/** Selects the variables that a chat in a running host needs, because the host has another environment. */
import type { Env } from "@plugboard/contracts";
import { pathVariables, selectVariables } from "@plugboard/config";

/** `variables` are those that the server definitions refer to. Adds those that models need, such as keys. */
export async function chatEnv(env: Env, variables: readonly string[]): Promise<{ [name: string]: string }> {
  const { modelVariables } = await import("@plugboard/agent/chat");
  return { ...pathVariables(env), ...selectVariables(env, [...variables, ...modelVariables()]) };
}
