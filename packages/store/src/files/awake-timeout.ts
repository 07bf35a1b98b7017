/**
 * A timeout that counts only while this process runs. While the event loop is blocked, or the computer sleeps, the
 * awaited work makes no progress either.
 */
export interface AwakeTimeout {
  readonly over: Promise<void>;
  cancel(): void;
}

const TICKS = 20;

export function awakeTimeout(ms: number): AwakeTimeout {
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    // An interval fires only once after the process was blocked, so that time counts as one tick.
    timer = setInterval(() => {
      ticks += 1;
      if (ticks < TICKS) return;
      clearInterval(timer);
      resolve();
    }, ms / TICKS);
  });
  return { over, cancel: () => clearInterval(timer) };
}
