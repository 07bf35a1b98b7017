/**
 * Files of the journal whose calls are not in the statistics yet. A process that made only a few calls leaves its file
 * uncounted, which takes one rename: adding the calls to the statistics takes a lock and waits for the disk. The next process
 * that reads or writes the statistics counts them.
 */
import { readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { CallCell } from "./call-cell.ts";
import type { CallHistory } from "./call-history.ts";
import { makeSeries, outcomeOf } from "./call-series.ts";
import { undefinedIfMissing } from "./journal-files.ts";
import { parseJournalLine } from "./journal-line.ts";

const COUNTED = ".jsonl";
const UNCOUNTED = ".uncounted.jsonl";

/** Leaves the calls of a complete journal file to the next process. */
export async function leaveUncounted(file: string): Promise<void> {
  await rename(file, file.slice(0, -COUNTED.length) + UNCOUNTED);
}

/** Returns the names of the uncounted files. */
export async function listUncounted(folder: string): Promise<string[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  return names.filter((name) => name.endsWith(UNCOUNTED));
}

/** Adds the calls of a file to the history. A file that was deleted has none. */
export async function countJournal(folder: string, name: string, history: CallHistory): Promise<void> {
  const text = (await undefinedIfMissing(readFile(join(folder, name), "utf8"))) ?? "";
  for (const line of text.split("\n")) {
    const entry = parseJournalLine(line);
    if (entry?.type !== "call") continue;
    const { at, caller, client, server } = entry;
    const outcome = outcomeOf(entry);
    const tool = outcome === "TOOL_NOT_FOUND" ? undefined : entry.tool;
    const cell = new CallCell();
    cell.record(entry);
    history.add(at, makeSeries({ caller, client, server, tool, outcome }), cell.pack());
  }
}

/** Marks files whose calls are in the statistics. */
export async function markCounted(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const counted = name.slice(0, -UNCOUNTED.length) + COUNTED;
    await undefinedIfMissing(rename(join(folder, name), join(folder, counted)));
  }
}
