/** The defaults of a server's entry. An entry that is shown to people omits values that equal them. */
export const ENTRY_DEFAULTS = {
  enabled: true,
  startupTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  start: "eager",
  /** All callers share one connection. */
  share: "all",
  trustAnnotations: false,
  sampling: false,
  resultLimitBytes: 100_000,
} as const;
