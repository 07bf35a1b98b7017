/** Numbers, times and sizes as people read them. Pure. */
import { formatMs } from "@plugboard/contracts";

/** Returns `–` for an unknown duration. */
export function formatKnownMs(ms: number | undefined): string {
  return ms === undefined ? "–" : formatMs(ms);
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
