/** Finds a protocol revision, by default the newest. */
import { NEWEST_REVISION, REVISIONS } from "@plugboard/mcp";
import type { Revision } from "@plugboard/mcp";

export function revisionNamed(name?: string): Revision {
  const revision = name === undefined ? NEWEST_REVISION : REVISIONS.find((each) => each.name === name);
  if (!revision) throw new Error(`no revision ${name}`);
  return revision;
}
