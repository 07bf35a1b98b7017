/** How a process is brought to end, step by step. Pure: whoever climbs it waits and signals. */

export type Rung =
  | { readonly do: "end stdin"; readonly waitMs: number }
  | { readonly do: "signal"; readonly signal: "SIGTERM" | "SIGKILL"; readonly waitMs: number };

/** Polite first. A process group that outlives the last rung can't be ended by us at all. */
export const LADDER: readonly Rung[] = [
  { do: "end stdin", waitMs: 2000 },
  { do: "signal", signal: "SIGTERM", waitMs: 2000 },
  { do: "signal", signal: "SIGKILL", waitMs: 2000 },
];

/** Where the climb goes on: a second request to stop skips everything polite. */
export function nextRung(at: number, forced: boolean): number | undefined {
  const next = forced ? Math.max(at + 1, LADDER.length - 1) : at + 1;
  return next < LADDER.length ? next : undefined;
}
