/**
 * What `timeout` means in a file that was written for another client. Most take
 * milliseconds; Cline and those that descend from it take seconds.
 */
import { basename } from "node:path";
import type { Meaning } from "./entry-keys.ts";

const IN_SECONDS = {
  files: ["cline_mcp_settings.json", "mcp_settings.json"],
  folders: [".cline", ".roo", ".kilocode"],
};

/** Outside these a value was probably meant in the other unit. */
const LEAST_MS = 1000;
const MOST_SECONDS = 3600;

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
    isNumber(value) && value < LEAST_MS
      ? `is read as ${value} ms, which is probably not meant; if it is seconds, write "tool_timeout_sec"`
      : undefined,
};

const SECONDS: Meaning = {
  path: ["request_timeout_ms"],
  convert: (value) => (isNumber(value) ? Math.round(value * 1000) : value),
  warn: (value) =>
    isNumber(value) && value > MOST_SECONDS
      ? `is read as ${value} seconds, as the client of this file reads it; if it is milliseconds, write "request_timeout_ms"`
      : undefined,
};

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
