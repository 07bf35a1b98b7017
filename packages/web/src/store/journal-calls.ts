/** The calls of the journal, with the decisions on them. Pure. */
import type { ActivityEntry, CallEntry, DecisionEntry } from "@plugboard/contracts";
import type { CallRecord } from "./page-state.ts";

/** `entries` and the result have the newest first. */
export function journalCalls(entries: readonly ActivityEntry[]): CallRecord[] {
  const decisions = entries.filter((entry) => entry.type === "decision" && entry.about === "permission");
  const calls = entries.flatMap((entry) => {
    if (entry.type !== "call") return [];
    const { type: _, ...call } = entry;
    const decision = decisionOn(entry, decisions as readonly DecisionEntry[], entries);
    // An entry is written when its call ends.
    return [{ ...call, at: entry.at - entry.durationMs, ...(decision !== undefined && { decision }) }];
  });
  return calls.toSorted((a, b) => b.at - a.at);
}

/** A decision does not name its call. It is used only if it can belong to no other call. */
function decisionOn(
  call: CallEntry,
  decisions: readonly DecisionEntry[],
  entries: readonly ActivityEntry[],
): string | undefined {
  const own = decisions.filter((decision) => mayConcern(decision, call));
  const [decision] = own;
  if (!decision || own.length > 1) return undefined;
  const isShared = entries.some((entry) => entry.type === "call" && entry !== call && mayConcern(decision, entry));
  return isShared ? undefined : decision.decision;
}

function mayConcern({ server, tool, at }: DecisionEntry, call: CallEntry): boolean {
  // Both times are rounded.
  return (
    server === call.server && tool === call.tool && at <= call.at && at >= Math.floor(call.at - call.durationMs) - 1
  );
}
