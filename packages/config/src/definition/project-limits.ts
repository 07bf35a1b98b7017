/**
 * Limits for a project's files, whose author the user may not know. Their restrictions (`deny` and `ask` rules,
 * `enabled: false`) apply at once. New and changed servers wait for the user's trust. The keys `allow`, `naming`,
 * `profiles`, `gateway`, `sandbox_default`, `terminal_sandbox` and `trust_annotations` are ignored.
 */
import type { ConfigSource } from "@plugboard/contracts";

/** Far more than a person writes. Opening a project takes time for each of its servers. */
export const MAX_PROJECT_SERVERS = 500;

/** Each rule is compared with every call. */
export const MAX_PROJECT_RULES = 1000;

/** Includes the local file, because it lies in the project's folder and may have come with the project. */
export function isProjectSource(source: ConfigSource): boolean {
  return source === "project" || source === "local";
}
