/** Time as a port, so that whoever composes a host can replace it. */
export interface Clock {
  now(): number;
  /** Milliseconds since whenever: it only goes forward, whoever sets the clock. Absent where `now` does so. */
  steady?(): number;
  /** Runs once after the delay; the returned function takes it back. In the background it keeps no process alive. */
  after(ms: number, run: () => void, background?: boolean): () => void;
}

/** Returns the time for measuring durations, from `steady` if the clock has it. */
export function steadyNow(clock: Clock): number {
  return clock.steady?.() ?? clock.now();
}

/** A timer of Node that is given more runs at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(ms, run, background = false) {
    if (ms <= MAX_TIMEOUT_MS) return timer(ms, run, background);
    const goOn = () => (stop = systemClock.after(ms - MAX_TIMEOUT_MS, run, background));
    let stop = timer(MAX_TIMEOUT_MS, goOn, background);
    return () => stop();
  },
};

function timer(ms: number, run: () => void, background: boolean): () => void {
  const timeout = setTimeout(run, ms);
  if (background) timeout.unref();
  return () => clearTimeout(timeout);
}
