/** Makes events of ended calls for tests of the statistics and of the journal. */
import type { HostEvent } from "@plugboard/contracts";

export type EndedCall = Extract<HostEvent, { type: "call.ended" }>;

let calls = 0;

/** Returns the event of a complete call to `files:read` that took 5 ms. The given fields replace these values. */
export function endedCall(fields: Partial<EndedCall> = {}): EndedCall {
  calls += 1;
  return {
    seq: calls,
    at: 0,
    type: "call.ended",
    call: `c${calls}`,
    caller: { kind: "cli", id: "x" },
    server: "files",
    tool: "read",
    outcome: "complete",
    durationMs: 5,
    ...fields,
  };
}
