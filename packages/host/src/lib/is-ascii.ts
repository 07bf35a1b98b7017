/** Patterns for ASCII compile faster than those for all letters, which matters to a command that runs for a short time. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
