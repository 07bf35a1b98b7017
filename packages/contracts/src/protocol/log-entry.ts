import type { Json } from "../lib/json.ts";

/** From the least to the most severe. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a server logs for its client to see. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: Json;
}
