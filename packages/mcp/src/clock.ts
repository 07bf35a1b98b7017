/** Time as a port, so that whoever composes a host can replace it. */
export interface Clock {
  now(): number;
  /** Runs once after the delay; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
