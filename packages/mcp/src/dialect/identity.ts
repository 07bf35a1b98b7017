/** How Plugboard introduces itself, and what it can do for a server. */
import type { JsonObject } from "@plugboard/contracts";

export interface Identity {
  readonly name: string;
  readonly version: string;
}

export function clientInfo(identity: Identity): JsonObject {
  return { name: identity.name, version: identity.version };
}

/** `elicitation` says whether somebody is there to be asked. */
export function clientCapabilities(elicitation: boolean): JsonObject {
  return elicitation ? { elicitation: { form: {}, url: {} } } : {};
}
