/** Reads the activity journal of all processes. Skips incomplete lines and entries of unknown type. */
import { readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { ActivityEntry, ActivityQuery } from "@plugboard/contracts";
import { parseJournalLine } from "./journal-line.ts";
import { listJournalFiles, undefinedIfMissing } from "./journal-files.ts";

const DEFAULT_LIMIT = 100;
/** How far the clock of the file system may lag behind the clock of the entries. */
const MTIME_LAG_MS = 1000;

/** Throws USAGE for an invalid query. */
export function checkActivityQuery({ limit = DEFAULT_LIMIT, since = 0, server = "" }: ActivityQuery): void {
  if (!Number.isInteger(limit) || limit < 1) throw usageError("limit must be a whole number of at least 1");
  if (!Number.isFinite(since)) throw usageError("since must be a number of milliseconds since 1970");
  if (typeof server !== "string") throw usageError("server must be a string");
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}

/** Returns the newest entries first. Reads as few files as possible. */
export async function readJournal(folder: string, query: ActivityQuery = {}): Promise<ActivityEntry[]> {
  const { limit = DEFAULT_LIMIT, since = -Infinity } = query;
  let found: ActivityEntry[] = [];
  for (const { path, writtenAt } of await listJournalFiles(folder)) {
    // Entries are not newer than their file, and the remaining files are older.
    const oldestWanted = found.length < limit ? since : found[limit - 1]!.at;
    if (writtenAt + MTIME_LAG_MS < oldestWanted) break;
    const text = (await undefinedIfMissing(readFile(path, "utf8"))) ?? "";
    found = [...found, ...latestEntries(text, { ...query, limit })].sort((a, b) => b.at - a.at).slice(0, limit);
  }
  return found;
}

function latestEntries(
  text: string,
  { limit, server, since = -Infinity }: ActivityQuery & { limit: number },
): ActivityEntry[] {
  const entries: ActivityEntry[] = [];
  const lines = text.split("\n");
  for (let index = lines.length - 1; index >= 0 && entries.length < limit; index--) {
    const entry = parseJournalLine(lines[index]!);
    if (!entry || entry.at < since) continue;
    if (server === undefined || ("server" in entry && entry.server === server)) entries.push(entry);
  }
  return entries;
}
