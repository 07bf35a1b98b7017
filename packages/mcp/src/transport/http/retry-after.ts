/** What `Retry-After` says, in milliseconds from now. Pure; how much of it is honoured is for whoever waits to say. */
const SECONDS = /^[+-]?\d+(?:\.\d+)?$/;
/** The three ways HTTP writes a date; the last one leaves out that it is GMT. */
const DATE = /^(?:[A-Z][a-z]{2}, \d\d [A-Z]|[A-Z][a-z]+day, \d\d-[A-Z]|[A-Z][a-z]{2} [A-Z][a-z]{2} )/;

/** Nothing for what says nothing. What lies in the past is now. */
export function retryAfterMs(value: string | readonly string[] | undefined, now: number): number | undefined {
  const text = (typeof value === "string" ? value : value?.[0])?.trim() ?? "";
  if (SECONDS.test(text)) return clamp(Math.ceil(Number(text) * 1000));
  if (!DATE.test(text)) return undefined;
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - now);
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), Number.MAX_SAFE_INTEGER);
}
