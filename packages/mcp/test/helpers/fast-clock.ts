/** A clock that runs ten times faster than the system clock, for tests that wait for a process to end. */
import { systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

export const fastClock: Clock = {
  now: () => systemClock.now() * 10,
  steady: () => systemClock.steady!() * 10,
  after: (ms, run, options) => systemClock.after(ms / 10, run, options),
};
