/** The clock that all timing code uses, so that a test can replace it. */
export interface Clock {
  now(): number;
  /** Returns monotonic milliseconds. Omitted if `now` is monotonic. */
  steady?(): number;
  /** Calls `run` once after the delay. Returns a function that cancels the call. */
  after(ms: number, run: () => void, options?: TimerOptions): () => void;
}

export interface TimerOptions {
  /** If true, the timer does not keep the process alive. */
  readonly background?: boolean;
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
  after(ms, run, options) {
    if (ms <= MAX_TIMEOUT_MS) return startTimer(ms, run, options);
    const scheduleRest = () => (cancel = systemClock.after(ms - MAX_TIMEOUT_MS, run, options));
    let cancel = startTimer(MAX_TIMEOUT_MS, scheduleRest, options);
    return () => cancel();
  },
};

/** A timer of Node. Those of a browser are numbers, and keep nothing alive. */
type TimerHandle = { unref?(): void };

function startTimer(ms: number, run: () => void, { background = false }: TimerOptions = {}): () => void {
  const timeout = setTimeout(run, ms);
  if (background) (timeout as TimerHandle).unref?.();
  return () => clearTimeout(timeout);
}
