/** How Plugboard introduces itself to servers, and which capabilities it declares. */
import type { JsonObject } from "@plugboard/contracts";

export interface Identity {
  readonly name: string;
  readonly version: string;
  /** Absent for a program that is not a host. */
  readonly ids?: HostIds | undefined;
}

/** Random ids of a host, new for each run. */
export interface HostIds {
  /** Sent to servers. At our own gateway it marks a client that is this host. */
  readonly client: string;
  /** Sent to clients of our gateway. In the answer of a server it marks a server that is this host. */
  readonly gateway: string;
}

/** Whether the host's model can be used for sampling, and whether the request may contain tools. */
export type SamplingSupport = boolean | "with-tools";

export interface DeclaredCapabilities {
  readonly elicitation: boolean;
  readonly sampling: SamplingSupport;
  readonly roots: boolean;
  readonly tasks: boolean;
}

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export function clientInfo(identity: Identity): JsonObject {
  return { name: identity.name, version: identity.version };
}

/** Returns the `capabilities` object of a client. `rootsListChanged` is declared only in eras with that notification. */
export function clientCapabilities(
  { elicitation, sampling, roots, tasks }: DeclaredCapabilities,
  rootsListChanged = false,
): JsonObject {
  return {
    ...(elicitation && { elicitation: { form: {}, url: {} } }),
    ...(sampling && { sampling: sampling === "with-tools" ? { tools: {} } : {} }),
    ...(roots && { roots: rootsListChanged ? { listChanged: true } : {} }),
    ...(tasks && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}
