/**
 * Formats a value that a server or client sent, for an error message. Shortens long strings. Does not print the contents
 * of lists and objects.
 */
const MAX_CHARS = 100;

export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS)}…` : value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "(a list)" : "(an object)";
    default:
      return String(value);
  }
}
