/** Parses the `Retry-After` header. Pure. */

/** Also accepts a sign and a fraction, which the standard does not allow. */
const SECONDS = /^[+-]?\d+(?:\.\d+)?$/;
/** The three date formats of HTTP. The last one omits the time zone, which is GMT. */
const DATE = /^(?:[A-Z][a-z]{2}, \d\d [A-Z]|[A-Z][a-z]+day, \d\d-[A-Z]|[A-Z][a-z]{2} [A-Z][a-z]{2} )/;

/** Returns milliseconds from now, or undefined if the header is missing or invalid. A date in the past gives 0. */
export function retryAfterMs(value: string | readonly string[] | undefined, now: number): number | undefined {
  const text = (typeof value === "string" ? value : value?.[0])?.trim() ?? "";
  if (SECONDS.test(text)) return clamp(Math.ceil(Number(text) * 1000));
  if (!DATE.test(text)) return undefined;
  const dateMs = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(dateMs) ? undefined : clamp(dateMs - now);
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), Number.MAX_SAFE_INTEGER);
}
