/** Returns the variables that make `record-frames.ts` work in a child process. Empty if nothing is recorded. */
export function recorderEnv(): { readonly [name: string]: string } {
  const { PLUGBOARD_WIRE_DIR, NODE_OPTIONS } = process.env;
  if (!PLUGBOARD_WIRE_DIR || !NODE_OPTIONS) return {};
  return { PLUGBOARD_WIRE_DIR, NODE_OPTIONS };
}
