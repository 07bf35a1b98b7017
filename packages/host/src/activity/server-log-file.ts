/**
 * Names the log files of servers, and parses their lines. Each server has a current file and an older file. When the
 * current file is full, it becomes the older file.
 */
import { join } from "node:path";
import { LOG_LEVELS, isJsonObject } from "@plugboard/contracts";
import type { LogLevel, ServerLogLine } from "@plugboard/contracts";

export interface ServerLogFiles {
  readonly current: string;
  readonly older: string;
}

const SERVER_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export function serverLogFolder(stateFolder: string): string {
  return join(stateFolder, "logs");
}

/** Returns undefined for a text that can't be the id of a server, such as `../x`. */
export function serverLogFiles(folder: string, server: string): ServerLogFiles | undefined {
  if (!SERVER_ID.test(server)) return undefined;
  // The prefix avoids names that Windows reserves, such as CON.
  const path = join(folder, `server-${server}`);
  return { current: `${path}.jsonl`, older: `${path}.older.jsonl` };
}

/** Skips lines that were not written completely, and lines of unknown type. */
export function parseServerLog(text: string): ServerLogLine[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const parsed: unknown = JSON.parse(line);
      return isServerLogLine(parsed) ? [parsed] : [];
    } catch {
      return [];
    }
  });
}

function isServerLogLine(value: unknown): value is ServerLogLine {
  if (!isJsonObject(value) || typeof value["at"] !== "number") return false;
  const { stream, text, level, logger = "", bytes } = value;
  if (stream === "lost") return typeof bytes === "number";
  if (typeof text !== "string") return false;
  return (
    stream === "stderr" || (stream === "log" && LOG_LEVELS.includes(level as LogLevel) && typeof logger === "string")
  );
}
