import type { StoredDecision } from "@plugboard/contracts";

/** Says how long a decision is valid, or that it has lapsed. */
export function renderScope({ scope, lapsed }: Pick<StoredDecision, "scope" | "lapsed">): string {
  return lapsed ? `${scope}, lapsed: the tool has changed` : scope;
}
