/** The calls of the journal, with the decisions on them. Pure. */
import type { ActivityEntry } from "@plugboard/contracts";
import type { ShownCall } from "./page-state.ts";

/** `entries` and the result have the newest first. */
export function journalCalls(entries: readonly ActivityEntry[]): ShownCall[] {
  const decisions = latestDecisions(entries);
  const calls = entries.flatMap((entry) => {
    if (entry.type !== "call") return [];
    const { type: _, ...call } = entry;
    const decision = decisions.get(entry.call);
    // An entry is written when its call ends.
    return [{ ...call, at: entry.at - entry.durationMs, ...(decision !== undefined && { decision }) }];
  });
  return calls.toSorted((a, b) => b.at - a.at);
}

/** Returns the decisions by the id of the call. */
function latestDecisions(entries: readonly ActivityEntry[]): ReadonlyMap<string, string> {
  const decisions = new Map<string, string>();
  for (const entry of entries.toReversed()) {
    if (entry.type === "decision" && entry.call !== undefined) decisions.set(entry.call, entry.decision);
  }
  return decisions;
}
