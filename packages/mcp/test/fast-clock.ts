/** The system's clock at ten times its speed, for processes of which only the end matters and not when it comes. */
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";

export const tenTimesAsFast: Clock = {
  now: () => systemClock.now() * 10,
  steady: () => systemClock.steady!() * 10,
  after: (ms, run, background) => systemClock.after(ms / 10, run, background),
};
