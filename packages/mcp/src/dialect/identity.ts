/** How Plugboard introduces itself, and what it can do for a server. */
import type { JsonObject } from "@plugboard/contracts";
import type { Lending } from "./session.ts";

export interface Identity {
  readonly name: string;
  readonly version: string;
  /** Random id of this host, new for each run. */
  readonly instance?: string | undefined;
}

/** What somebody is there for. */
export interface Abilities {
  readonly elicitation: boolean;
  readonly sampling: Lending;
  readonly roots: boolean;
  readonly tasks: boolean;
}

export const TASKS = "io.modelcontextprotocol/tasks";

export function clientInfo(identity: Identity): JsonObject {
  return { name: identity.name, version: identity.version };
}

/** That the roots may change is said where there is a notice for it. */
export function clientCapabilities(
  { elicitation, sampling, roots, tasks }: Abilities,
  rootsNotice = false,
): JsonObject {
  return {
    ...(elicitation && { elicitation: { form: {}, url: {} } }),
    ...(sampling && { sampling: sampling === "with-tools" ? { tools: {} } : {} }),
    ...(roots && { roots: rootsNotice ? { listChanged: true } : {} }),
    ...(tasks && { extensions: { [TASKS]: {} } }),
  };
}
