/**
 * Limits for a project's files, whose author the user may not know. Restrictions in them apply at once: `deny` and
 * `ask` rules, `enabled: false`. New and changed servers wait for the user's trust. Keys that decide on trust are
 * ignored: `allow`, `naming`, `profiles`, `trust_annotations`.
 */
import type { ConfigSource } from "@plugboard/contracts";

/** Far more than a person writes. Each server costs time when the project is opened. */
export const MAX_PROJECT_SERVERS = 500;

/** Each rule is compared with every call. */
export const MAX_PROJECT_RULES = 1000;

/** Includes the local file, because it lies in the project's folder and may have come with the project. */
export function isProjectSource(source: ConfigSource): boolean {
  return source === "project" || source === "local";
}
