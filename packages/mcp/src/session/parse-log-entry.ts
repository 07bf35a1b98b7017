/** Parses log notifications of a server, and compares log levels. */
import { LOG_LEVELS } from "@plugboard/contracts";
import type { Json, JsonObject, LogEntry, LogLevel } from "@plugboard/contracts";

export function parseLogEntry(params: JsonObject = {}): LogEntry | undefined {
  const { level, logger, data } = params;
  if (!isLogLevel(level) || data === undefined) return undefined;
  return { level, data, ...(typeof logger === "string" && { logger }) };
}

export function isLogLevel(value: Json | undefined): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

export function isMoreVerbose(level: LogLevel, other: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(other);
}
