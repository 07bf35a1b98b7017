/**
 * Decides the unit of `timeout` in a file written for another client. Most
 * clients use milliseconds; Cline and its forks use seconds.
 */
import { basename } from "node:path";
import type { Meaning } from "./entry-keys.ts";

const IN_SECONDS = {
  files: ["cline_mcp_settings.json", "mcp_settings.json"],
  folders: [".cline", ".roo", ".kilocode"],
};

/** Values outside this range probably use the other unit. */
const MIN_MS = 1000;
const MAX_SECONDS = 3600;

export function timeoutUnitOf(file: string): Meaning {
  return isInSeconds(file) ? SECONDS : MILLISECONDS;
}

function isInSeconds(file: string): boolean {
  const folders = file.split(/[\\/]/);
  return IN_SECONDS.files.includes(basename(file)) || IN_SECONDS.folders.some((folder) => folders.includes(folder));
}

const MILLISECONDS: Meaning = {
  path: ["request_timeout_ms"],
  warn: (value) =>
    isNumber(value) && value < MIN_MS
      ? `is read as ${value} ms, which is probably too short; for seconds, use "tool_timeout_sec"`
      : undefined,
};

const SECONDS: Meaning = {
  path: ["request_timeout_ms"],
  convert: (value) => (isNumber(value) ? Math.round(value * 1000) : value),
  warn: (value) =>
    isNumber(value) && value > MAX_SECONDS
      ? `is read as ${value} seconds, which is probably too long; for milliseconds, use "request_timeout_ms"`
      : undefined,
};

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
