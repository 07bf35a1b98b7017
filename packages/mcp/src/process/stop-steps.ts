/** How a process is brought to end, step by step. Pure: whoever climbs it waits and signals. */

export type StopStep =
  | { readonly do: "end stdin"; readonly waitMs: number }
  | { readonly do: "signal"; readonly signal: "SIGTERM" | "SIGKILL"; readonly waitMs: number };

/** Polite first. A process group that outlives the last rung can't be ended by us at all. */
export const STOP_STEPS: readonly StopStep[] = [
  { do: "end stdin", waitMs: 2000 },
  { do: "signal", signal: "SIGTERM", waitMs: 2000 },
  { do: "signal", signal: "SIGKILL", waitMs: 2000 },
];

/** Where the climb goes on: a second request to stop skips everything polite. */
export function nextStopStep(index: number, forced: boolean): number | undefined {
  const next = forced ? Math.max(index + 1, STOP_STEPS.length - 1) : index + 1;
  return next < STOP_STEPS.length ? next : undefined;
}
