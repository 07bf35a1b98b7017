/** Names, lists and deletes the files of the activity journal. */
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface JournalFile {
  readonly path: string;
  readonly bytes: number;
  /** The time of the last write. */
  readonly writtenAt: number;
}

/** Limits all journal files together. */
export interface JournalQuota {
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
}

/** The folder of the journal in the state folder. */
export const JOURNAL_FOLDER = "activity";

/** `uncounted`: the calls of the file are not in the statistics yet (`uncounted-journals.ts`). */
const FILE_NAME = /^\d{8}T\d{9}Z-\d+-\d+(?:\.uncounted)?\.jsonl$/;

/** Returns a name that sorts by creation time: `20260131T235959999Z-4711-0.jsonl`. */
export function journalFileName(createdAt: number, pid: number, attempt: number): string {
  const time = new Date(createdAt).toISOString().replace(/[-:.]/g, "");
  return `${time}-${pid}-${attempt}.jsonl`;
}

/** Returns the files, latest write first. Returns an empty list if the folder does not exist. */
export async function listJournalFiles(folder: string): Promise<JournalFile[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  const found = await Promise.all(
    names
      .filter((name) => FILE_NAME.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const stats = await undefinedIfMissing(stat(path));
        return stats && { path, bytes: stats.size, writtenAt: stats.mtimeMs };
      }),
  );
  return found
    .filter((file) => file !== undefined)
    .sort((a, b) => b.writtenAt - a.writtenAt || (a.path < b.path ? 1 : -1));
}

/**
 * Deletes the oldest files beyond the quota, but never `current`. A file that another process still writes to is among
 * the latest, so it stays.
 */
export async function deleteOldestFiles(current: string, { maxFiles, maxTotalBytes }: JournalQuota): Promise<void> {
  const others = (await listJournalFiles(dirname(current))).filter(({ path }) => path !== current);
  let bytes = 0;
  for (const [index, file] of others.entries()) {
    bytes += file.bytes;
    // `+ 1` stands for the current file, which counts too.
    if (index + 1 >= maxFiles || bytes > maxTotalBytes) await rm(file.path, { force: true });
  }
}

/** Returns undefined for a missing file: another process may have deleted it. */
export async function undefinedIfMissing<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
