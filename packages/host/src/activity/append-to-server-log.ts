/**
 * Appends lines to the log file of a server. Only the user can read the file. Several processes may append to it,
 * because each appends its lines in a single write. Limits the size of a file and the number of files.
 */
import { appendFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { unwritableError, makeFolder } from "@plugboard/store";
import { undefinedIfMissing } from "./journal-files.ts";
import { serverLogFiles } from "./server-log-file.ts";
import type { ServerLogLine } from "@plugboard/contracts";

export interface ServerLogPlace {
  readonly folder: string;
  /** The maximum size. A full file is renamed to the older file. */
  readonly maxFileBytes?: number;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 200;

/** Throws STORE_UNWRITABLE if the lines can't be written. */
export async function appendToServerLog(
  { folder, maxFileBytes = MAX_FILE_BYTES }: ServerLogPlace,
  server: string,
  lines: readonly ServerLogLine[],
): Promise<void> {
  const files = serverLogFiles(folder, server);
  if (!files || lines.length === 0) return;
  const { current, older } = files;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  try {
    const existing = await undefinedIfMissing(stat(current));
    if (existing && existing.size + Buffer.byteLength(text) > maxFileBytes) {
      // Another process may have renamed the file meanwhile.
      await undefinedIfMissing(rename(current, older));
    }
    if (!existing) await makeFolder(folder);
    await appendFile(current, text, { mode: 0o600 });
    // Ignores an error, because the next new file triggers another attempt.
    if (!existing) await deleteOldestFiles(folder).catch(() => {});
  } catch (error) {
    throw unwritableError(current, error);
  }
}

/** Deletes the least recently written files, which probably belong to servers that are no longer used. */
async function deleteOldestFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^server-.*\.jsonl$/.test(name));
  if (names.length <= MAX_FILES) return;
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, writtenAt: (await undefinedIfMissing(stat(path)))?.mtimeMs ?? 0 };
    }),
  );
  found.sort((a, b) => b.writtenAt - a.writtenAt);
  await Promise.all(found.slice(MAX_FILES).map(({ path }) => rm(path, { force: true })));
}
