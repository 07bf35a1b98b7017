/** Compares protocol revisions, which are dates. */
export function isModernRevision(revision: string | undefined): boolean {
  return isSince("2026-07-28", revision);
}

/** Treats an unknown revision as the newest one. */
export function isSince(first: string, revision: string | undefined): boolean {
  return revision === undefined || revision >= first;
}
