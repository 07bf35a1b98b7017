/** Shows on the live line which part of a command takes long, while no other text says what it waits for. */
import { withElapsed } from "../terminal/elapsed.ts";
import type { LiveLine } from "../terminal/live-line.ts";

export interface Phases {
  /** Begins the next part. The text is a phrase such as "reading the config". */
  enter(text: string): void;
  stop(): void;
}

export function showPhases(liveLine: LiveLine, firstText: string, now: () => number = Date.now): Phases {
  let phase = { text: firstText, since: now() };
  const hide = liveLine.show(() => withElapsed(phase.text, now() - phase.since), { isFallback: true });
  return {
    enter: (text) => void (phase = { text, since: now() }),
    stop: hide,
  };
}
