import { formatDuration } from "@plugboard/contracts";

/** Appends the elapsed time to a text: `starting github … 4 s`. Omits it during the first second. */
export function withElapsed(text: string, elapsedMs: number): string {
  return elapsedMs < 1000 ? `${text} …` : `${text} … ${formatDuration(elapsedMs)}`;
}
