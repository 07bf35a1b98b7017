/** Describes durations for people. Pure. */

/** Appends the elapsed time to a text: `starting github … 4 s`. Omits it during the first second. */
export function withElapsed(text: string, elapsedMs: number): string {
  return elapsedMs < 1000 ? `${text} …` : `${text} … ${describeDuration(elapsedMs)}`;
}

/** Describes whole units: `4 s`, `2 min 5 s`, `3 h 20 min`, `2 days 4 h`. */
export function describeDuration(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Formats the duration of a call: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
