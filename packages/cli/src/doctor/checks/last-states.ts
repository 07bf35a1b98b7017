/** Reads from the journal how servers started the last time. Pure. */
import type { ActivityEntry } from "@plugboard/contracts";

export type ServerStateEntry = Extract<ActivityEntry, { type: "server" }>;

/** Returns how the latest start of each server ended. Expects the newest entries first. */
export function lastStates(journal: readonly ActivityEntry[]): ReadonlyMap<string, ServerStateEntry> {
  const states = new Map<string, ServerStateEntry>();
  for (const entry of journal) {
    if (entry.type !== "server" || states.has(entry.server) || !isOutcome(entry)) continue;
    states.set(entry.server, entry);
  }
  return states;
}

/** A failed server that is retried is `connecting`, with the error of the attempt before. */
function isOutcome({ state, code }: ServerStateEntry): boolean {
  return state === "ready" || state === "auth_required" || code !== undefined;
}

/** Returns how long the latest start of each server took until it was ready, in milliseconds. */
export function lastStartTimes(journal: readonly ActivityEntry[]): ReadonlyMap<string, number> {
  // The newest entries come first, so `ready` comes before its `connecting`.
  const readyAt = new Map<string, number>();
  const times = new Map<string, number>();
  for (const entry of journal) {
    if (entry.type !== "server" || times.has(entry.server)) continue;
    const { server, state, at } = entry;
    const ready = readyAt.get(server);
    if (state === "ready") readyAt.set(server, at);
    else if (state === "connecting" && ready !== undefined) times.set(server, ready - at);
    else readyAt.delete(server);
  }
  return times;
}
