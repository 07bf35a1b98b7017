/**
 * The steps that stop a process, from the gentlest to SIGKILL. Pure: `server-process.ts` waits and sends the signals.
 */

export type StopStep =
  | { readonly do: "end stdin"; readonly waitMs: number }
  | { readonly do: "signal"; readonly signal: "SIGTERM" | "SIGKILL"; readonly waitMs: number };

/** A process group that is still running after the last step can't be stopped. */
export const STOP_STEPS: readonly StopStep[] = [
  { do: "end stdin", waitMs: 2000 },
  { do: "signal", signal: "SIGTERM", waitMs: 2000 },
  { do: "signal", signal: "SIGKILL", waitMs: 2000 },
];

/** Returns the index of the step after `index`, or undefined after the last. A forced stop skips to SIGKILL. */
export function nextStopStep(index: number, forced: boolean): number | undefined {
  const next = forced ? Math.max(index + 1, STOP_STEPS.length - 1) : index + 1;
  return next < STOP_STEPS.length ? next : undefined;
}
