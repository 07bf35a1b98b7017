import type { CallRecord } from "./page-state.ts";

/** Returns how long the server took. Undefined if a person decided on the call: its duration is then mostly the wait for them. */
export function latencyOf({ durationMs, decision }: Pick<CallRecord, "durationMs" | "decision">): number | undefined {
  return decision === undefined ? durationMs : undefined;
}
