/**
 * Journal files whose calls are not in the statistics yet. Adding calls to the statistics needs a lock and waits for
 * the disk. So a process that made only a few calls just renames its journal file to `*.uncounted.jsonl`. The next
 * process that reads or writes the statistics counts the file.
 */
import { constants } from "node:fs";
import { open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { CallEntry } from "@plugboard/contracts";
import { CallCell } from "./call-cell.ts";
import type { CallHistory } from "./call-history.ts";
import { makeSeries, outcomeOf } from "./call-series.ts";
import { undefinedIfMissing } from "./journal-files.ts";
import { parseJournalLine } from "./journal-line.ts";

const COUNTED = ".jsonl";
const UNCOUNTED = ".uncounted.jsonl";
const UNCOUNTED_NAME = /^\d{8}T\d{9}Z-\d+-\d+\.uncounted\.jsonl$/;
/** A larger file is ignored. The few calls that a process leaves take far less. */
const MAX_BYTES = 1024 * 1024;

/** Leaves the calls of a complete journal file to the next process. */
export async function leaveUncounted(file: string): Promise<void> {
  await rename(file, file.slice(0, -COUNTED.length) + UNCOUNTED);
}

/** Returns the names of the uncounted files. */
export async function listUncounted(folder: string): Promise<string[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  return names.filter((name) => UNCOUNTED_NAME.test(name));
}

/** Adds the calls of a file to the history. Ignores lines with values that this version does not write. */
export async function countJournal(folder: string, name: string, history: CallHistory): Promise<void> {
  const text = await readLeft(join(folder, name));
  for (const line of text.split("\n")) {
    const entry = parseJournalLine(line);
    if (entry?.type !== "call" || !isCountable(entry)) continue;
    const { at, caller, client, server } = entry;
    const outcome = outcomeOf(entry);
    const tool = outcome === "TOOL_NOT_FOUND" ? undefined : entry.tool;
    const cell = new CallCell();
    cell.record(entry);
    history.add(at, makeSeries({ caller, client, server, tool, outcome }), cell.pack());
  }
}

/**
 * Marks files whose calls are in the statistics, by a rename. Never rejects: the statistics list these files too, so
 * none is counted twice.
 */
export async function markCounted(folder: string, names: readonly string[]): Promise<void> {
  const renamed = names.map((name) => {
    const counted = name.slice(0, -UNCOUNTED.length) + COUNTED;
    return rename(join(folder, name), join(folder, counted));
  });
  await Promise.allSettled(renamed);
}

/** Returns an empty text for anything but a small regular file, such as a pipe, which must not block the statistics. */
async function readLeft(path: string): Promise<string> {
  // On Windows O_NOFOLLOW and O_NONBLOCK are undefined, which `|` treats as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= MAX_BYTES ? await file.readFile("utf8") : "";
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

/** The values come from a file that somebody may have changed. */
function isCountable(entry: CallEntry): boolean {
  const { at, caller, client = "", server, tool, outcome, durationMs, argumentBytes = 0, resultBytes = 0 } = entry;
  const { startMs = 0, queueMs = 0, questionMs = 0, retryMs = 0 } = entry;
  const texts: unknown[] = [caller, client, server, tool, outcome];
  const times: unknown[] = [durationMs, startMs, queueMs, questionMs, retryMs];
  const numbers: unknown[] = [at, argumentBytes, resultBytes];
  return (
    texts.every((text) => typeof text === "string") &&
    times.every((ms) => typeof ms === "number" && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER / 1e6) &&
    numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0)
  );
}
