/** Reads the journal back, whoever wrote it. A line that was cut, or that a later version wrote, is passed over. */
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
/** The clock by which a file system dates its files may lag behind. */
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
      ? "a limit is a whole number from 1"
      : !Number.isFinite(since)
        ? "since is a number of milliseconds since 1970"
        : typeof server !== "string"
          ? "a server is named by text"
          : undefined;
  if (message !== undefined) throw new HostError("USAGE", { message });
}

/** Newest first, over all files, of which as few are read as will do. None if nothing was ever written. */
export async function readJournal(folder: string, query: ActivityQuery = {}): Promise<ActivityEntry[]> {
  const { limit = DEFAULT_LIMIT, since = -Infinity } = query;
  let found: ActivityEntry[] = [];
  for (const { path, writtenAt } of await listJournalFiles(folder)) {
    // What a file holds is no younger than the file, and the files that follow are older still.
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
    // The end of a run that was killed, or of a disk that was full.
    return undefined;
  }
}
