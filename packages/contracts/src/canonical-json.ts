/** One text for equal values: the order in which keys were written means nothing. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value));
}

/** An object becomes its sorted entries, marked, so that no array is written like one. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, canonical(inner)]) };
}
