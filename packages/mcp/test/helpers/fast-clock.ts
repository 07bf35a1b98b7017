/** Runs the system clock at ten times its speed, for tests where the time of a process's end does not matter. */
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";

export const fastClock: Clock = {
  now: () => systemClock.now() * 10,
  steady: () => systemClock.steady!() * 10,
  after: (ms, run, background) => systemClock.after(ms / 10, run, background),
};
