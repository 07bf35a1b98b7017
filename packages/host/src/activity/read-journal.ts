/** Reads the activity journal of all processes. Skips incomplete lines and entries of unknown type. */
import { readFile } from "node:fs/promises";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ActivityEntry, ActivityQuery } from "@plugboard/contracts";
import { toCamelKeys } from "../lib/key-case.ts";
import { listJournalFiles, undefinedIfMissing } from "./journal-files.ts";

/** An entry as the file has it, in snake_case. Keys of one word are the same in both. */
interface JournalLine {
  readonly at: number;
  readonly server?: unknown;
}

const DEFAULT_LIMIT = 100;
/** The tolerance for the clock of the file system. */
const MTIME_LAG_MS = 1000;
const ENTRY_TYPES: ReadonlySet<unknown> = new Set<ActivityEntry["type"]>([
  "call",
  "decision",
  "server",
  "config",
  "lost",
]);

/** Throws USAGE for an invalid query. */
export function checkActivityQuery({ limit = DEFAULT_LIMIT, since = 0, server = "" }: ActivityQuery): void {
  const message =
    !Number.isInteger(limit) || limit < 1
      ? "limit must be a whole number of at least 1"
      : !Number.isFinite(since)
        ? "since must be a number of milliseconds since 1970"
        : typeof server !== "string"
          ? "server must be a string"
          : undefined;
  if (message !== undefined) throw new HostError("USAGE", { message });
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
  for (let at = lines.length - 1; at >= 0 && entries.length < limit; at--) {
    const line = parseLine(lines[at]!);
    if (!line || line.at < since) continue;
    if (server === undefined || line.server === server) entries.push(toCamelKeys(line) as unknown as ActivityEntry);
  }
  return entries;
}

function parseLine(line: string): JournalLine | undefined {
  if (line === "") return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    const known = isJsonObject(entry) && ENTRY_TYPES.has(entry["type"]) && typeof entry["at"] === "number";
    return known ? (entry as unknown as JournalLine) : undefined;
  } catch {
    // The process was killed or the disk was full during the write.
    return undefined;
  }
}
