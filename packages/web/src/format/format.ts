/** Numbers, times and sizes as people read them. Pure. */

/** `420 µs`, `12 ms`, `1.4 s`, `3 min 5 s`, and `–` if it is unknown. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "–";
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return formatDuration(ms);
}

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

/** `512 B`, `3.4 kB`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** The local time of today, or the date and time. */
export function formatTime(at: number, now: number): string {
  const date = new Date(at);
  const time = TIME_FORMAT.format(date);
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? time : `${DAY_FORMAT.format(date)} ${time}`;
}

// Shared, because creating a formatter for each row is slow.
const TIME_FORMAT = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });
const DAY_FORMAT = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Returns the value below which the given share of the values lies. Undefined without values. */
export function quantile(values: readonly number[], share: number): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
