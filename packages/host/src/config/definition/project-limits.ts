/**
 * A project's files come from whoever wrote the project. What they only take
 * away applies at once: denials, questions, `enabled: false`. What adds or
 * changes something waits for the user's trust. What decides on trust itself is
 * never taken from them: `allow`, `naming`, `profiles`, `trust_annotations`.
 */
import type { ConfigSource } from "@plugboard/contracts";

/** Nobody writes more, and each is work for whoever opens the project. */
export const MAX_PROJECT_SERVERS = 500;

/** Each is held against every call. */
export const MAX_PROJECT_RULES = 1000;

/** The local file lies in the project's folder too, and may have come with it. */
export function isProjectSource(source: ConfigSource): boolean {
  return source === "project" || source === "local";
}
