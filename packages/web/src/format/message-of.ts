/** Returns the message of anything that can be thrown. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
