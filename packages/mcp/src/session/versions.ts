/** The protocol revisions that Plugboard supports, newest first. */
export const MODERN_VERSIONS = ["2026-07-28"] as const;
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export const NEWEST_MODERN = MODERN_VERSIONS[0];
export const NEWEST_LEGACY = LEGACY_VERSIONS[0];

export function firstSupported(supported: readonly string[], offered: readonly unknown[]): string | undefined {
  return supported.find((version) => offered.includes(version));
}
