/** What counts where a server's entry says nothing; what is shown of a definition leaves out the same. */
export const ENTRY_DEFAULTS = {
  enabled: true,
  startupTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  start: "eager",
  share: "all",
  trustAnnotations: false,
  sampling: false,
  resultLimitBytes: 100_000,
} as const;
