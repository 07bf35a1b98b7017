/**
 * The protocol revisions that Plugboard supports, and what their clients understand. A new revision is a new row.
 * Outside the dialects, no other file names a revision or an era: code checks the fields of a `Revision`.
 */
import type { Era } from "@plugboard/contracts";

export interface Revision {
  readonly name: string;
  readonly era: Era;
  /** True if a client begins with a handshake, and its requests belong to a session. */
  readonly hasSessions: boolean;
  readonly hasAudio: boolean;
  readonly hasResourceLinks: boolean;
  /** True if a stream may begin with an event without data. */
  readonly hasEmptyEvents: boolean;
  /** True if structured content may be any JSON, and its schema any JSON Schema. Otherwise both are objects. */
  readonly hasAnyStructure: boolean;
  /** True if an error can name the capabilities that the client lacks. */
  readonly hasCapabilityErrors: boolean;
  /**
   * True if a client gets the server's error that names pages to visit first, and handles or shows the error itself.
   */
  readonly hasVisitErrors: boolean;
}

const FIRST: Revision = {
  name: "2024-11-05",
  era: "legacy",
  hasSessions: true,
  hasAudio: false,
  hasResourceLinks: false,
  hasEmptyEvents: false,
  hasAnyStructure: false,
  hasCapabilityErrors: false,
  hasVisitErrors: true,
};
const WITH_AUDIO: Revision = { ...FIRST, name: "2025-03-26", hasAudio: true };
const WITH_LINKS: Revision = { ...WITH_AUDIO, name: "2025-06-18", hasResourceLinks: true };
const LAST_WITH_SESSIONS: Revision = { ...WITH_LINKS, name: "2025-11-25", hasEmptyEvents: true };
const WITHOUT_SESSIONS: Revision = {
  ...LAST_WITH_SESSIONS,
  name: "2026-07-28",
  era: "modern",
  hasSessions: false,
  hasAnyStructure: true,
  hasCapabilityErrors: true,
  hasVisitErrors: false,
};

/** Newest first. */
export const REVISIONS: readonly Revision[] = [WITHOUT_SESSIONS, LAST_WITH_SESSIONS, WITH_LINKS, WITH_AUDIO, FIRST];

export const NEWEST_REVISION = WITHOUT_SESSIONS;
export const NEWEST_MODERN = WITHOUT_SESSIONS;
export const NEWEST_LEGACY = LAST_WITH_SESSIONS;

export const MODERN_NAMES = namesOf(NEWEST_MODERN.era);
export const LEGACY_NAMES = namesOf(NEWEST_LEGACY.era);

export function firstSupported(supported: readonly string[], offered: readonly unknown[]): string | undefined {
  return supported.find((name) => offered.includes(name));
}

/** Returns the modern revision of this name, or the newest one. */
export function modernRevision(name: unknown): Revision {
  if (name === NEWEST_MODERN.name) return NEWEST_MODERN;
  return REVISIONS.find((revision) => !revision.hasSessions && revision.name === name) ?? NEWEST_MODERN;
}

/** Returns the revision of this name in the era with sessions, or undefined if there is none. */
export function findLegacy(name: unknown): Revision | undefined {
  return REVISIONS.find((revision) => revision.hasSessions && revision.name === name);
}

function namesOf(era: Era): readonly string[] {
  return REVISIONS.filter((revision) => revision.era === era).map(({ name }) => name);
}
