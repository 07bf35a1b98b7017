/** `legacy` is every revision up to 2025-11-25, `modern` is 2026-07-28 and later. Shown to people, never branched on above a dialect. */
export type Era = "legacy" | "modern";
