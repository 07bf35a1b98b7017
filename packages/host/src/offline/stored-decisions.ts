/** Opens the stored decisions of the user without a host. */
import type { Env } from "@plugboard/contracts";
import type { DecisionStore } from "../policy/decision-store.ts";
import { openSharedState } from "./stored-trust.ts";

/** Throws if the state folder can't be used, or the decisions can't be read. */
export async function openStoredDecisions(env: Env): Promise<DecisionStore> {
  const { decisions, openError } = await openSharedState(env);
  if (openError) throw openError;
  await decisions.reload();
  return decisions;
}
