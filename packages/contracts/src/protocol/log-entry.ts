import type { Json } from "../lib/json.ts";

/** The log levels of the protocol, from least to most severe. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** A log message from a server. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: Json;
}
