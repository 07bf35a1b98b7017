/** The clock that all timing code uses, so that a test can replace it. */
export interface Clock {
  now(): number;
  /** Returns monotonic milliseconds. Omitted if `now` is monotonic. */
  steady?(): number;
  /**
   * Calls `run` once after the delay. Returns a function that cancels it. A background timer does not keep the process
   * alive.
   */
  after(ms: number, run: () => void, background?: boolean): () => void;
}

/** Returns the time for measuring durations: `steady` if the clock has it, else `now`. */
export function steadyNow(clock: Clock): number {
  return clock.steady?.() ?? clock.now();
}

/** Node runs a timer with a longer delay immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(ms, run, background = false) {
    if (ms <= MAX_TIMEOUT_MS) return timer(ms, run, background);
    const scheduleRest = () => (stop = systemClock.after(ms - MAX_TIMEOUT_MS, run, background));
    let stop = timer(MAX_TIMEOUT_MS, scheduleRest, background);
    return () => stop();
  },
};

function timer(ms: number, run: () => void, background: boolean): () => void {
  const timeout = setTimeout(run, ms);
  if (background) timeout.unref();
  return () => clearTimeout(timeout);
}
