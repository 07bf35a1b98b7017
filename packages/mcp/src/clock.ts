/** Time as a port, so that whoever composes a host can replace it. */
export interface Clock {
  now(): number;
  /** Runs once after the delay; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
}

/** A timer of Node that is given more runs at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    if (ms <= LONGEST_MS) return timer(ms, run);
    let stop = timer(LONGEST_MS, () => (stop = systemClock.after(ms - LONGEST_MS, run)));
    return () => stop();
  },
};

function timer(ms: number, run: () => void): () => void {
  const started = setTimeout(run, ms);
  return () => clearTimeout(started);
}
