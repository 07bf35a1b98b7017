/** The protocol era: `legacy` is every revision up to 2025-11-25, `modern` is 2026-07-28 and later. For display only. */
export type Era = "legacy" | "modern";
