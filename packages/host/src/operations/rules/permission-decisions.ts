/**
 * Lists and revokes the decisions that allow more than one call. Without a running
 * host, only the stored decisions are known.
 */
import type { RuleOperations } from "@plugboard/contracts";
import type { Host } from "../../core/host.ts";
import { openStoredDecisions } from "../../offline/stored-decisions.ts";
import { toStoredDecision } from "../../policy/decision-store.ts";
import type { OperationsPlace } from "../operations-context.ts";

/** `running` is absent if no host runs. */
export function permissionDecisions(
  { env }: OperationsPlace,
  running: Pick<Host, "openDecisions"> | undefined,
): Pick<RuleOperations, "decisions" | "revokeDecision"> {
  const open = () => (running ? running.openDecisions() : openStoredDecisions(env));
  return {
    decisions: async () => (await open()).list().map(toStoredDecision),
    revokeDecision: async (id) => (await open()).revoke(id),
  };
}
