/** The variables that let `record-frames.ts` work in a child process too. Empty when no recording is under way. */
export function recorderEnv(): { readonly [name: string]: string } {
  const { PLUGBOARD_WIRE_DIR, NODE_OPTIONS } = process.env;
  if (!PLUGBOARD_WIRE_DIR || !NODE_OPTIONS) return {};
  return { PLUGBOARD_WIRE_DIR, NODE_OPTIONS };
}
