/** Durations as people read them. Pure. */

/** Whole units: `4 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** With a fraction of a short duration: `420 µs`, `3.1 ms`, `12 ms`, `1.4 s`, `3 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms > 0 && ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}
