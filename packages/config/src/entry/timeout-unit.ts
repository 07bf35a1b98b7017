/**
 * Decides the unit of `timeout` in a file written for another client. Most clients use milliseconds. Cline and its
 * forks use seconds.
 */
import { basename } from "node:path";
import type { KeyMapping } from "./entry-keys.ts";

const SECONDS_CLIENTS = {
  files: ["cline_mcp_settings.json", "mcp_settings.json"],
  folders: [".cline", ".roo", ".kilocode"],
};

/** A shorter time in milliseconds, or a longer one in seconds, was probably meant in the other unit. */
const MIN_PLAUSIBLE_MS = 1000;
const MAX_PLAUSIBLE_SECONDS = 3600;

export function timeoutMappingFor(file: string): KeyMapping {
  return usesSeconds(file) ? SECONDS : MILLISECONDS;
}

function usesSeconds(file: string): boolean {
  const folders = file.split(/[\\/]/);
  return (
    SECONDS_CLIENTS.files.includes(basename(file)) || SECONDS_CLIENTS.folders.some((folder) => folders.includes(folder))
  );
}

const MILLISECONDS: KeyMapping = {
  path: ["request_timeout_ms"],
  warn: (value) =>
    isNumber(value) && value < MIN_PLAUSIBLE_MS
      ? `is read as ${value} ms, which is probably too short; for seconds, use "tool_timeout_sec"`
      : undefined,
};

const SECONDS: KeyMapping = {
  path: ["request_timeout_ms"],
  convert: (value) => (isNumber(value) ? Math.round(value * 1000) : value),
  warn: (value) =>
    isNumber(value) && value > MAX_PLAUSIBLE_SECONDS
      ? `is read as ${value} seconds, which is probably too long; for milliseconds, use "request_timeout_ms"`
      : undefined,
};

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
