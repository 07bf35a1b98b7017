/** Reports changes of the entries in a folder, whichever process made them. */
import { join } from "node:path";
import { watchFiles } from "../watch/watch-files.ts";
import type { Entry, EntryEvent } from "./entry-store.ts";
import type { KindFolder } from "./kind-folder.ts";

/**
 * Reads the entries once, and then reports each change. Resolves after the first read, with the function that stops the
 * reports. A file that can't be read counts as unchanged.
 */
export async function watchEntries(
  folder: KindFolder,
  isCurrent: (entry: Entry) => boolean,
  listener: (event: EntryEvent) => void,
): Promise<() => void> {
  let isStopped = false;
  let known = new Map<string, Entry>();
  let reading: Promise<void> = Promise.resolve();
  const update = (report: (event: EntryEvent) => void) => {
    const isRead = reading.then(async () => {
      const current = await readCurrent(folder, known, isCurrent);
      const before = known;
      known = current;
      if (!isStopped) for (const event of changesBetween(before, current)) report(event);
    });
    // A folder that can't be read now is read again after its next change.
    reading = isRead.catch(() => {});
    return isRead;
  };
  // Each change of a file gives the folder a new modification time, so the folder itself is one of the paths. The
  // second path need not exist: the system watches the folder of each path, and so reports events inside this folder.
  const watch = watchFiles([folder.path, join(folder.path, "entry")], () => {
    update(listener).catch(() => {});
  });
  const stop = () => {
    isStopped = true;
    watch.stop();
  };
  try {
    await update(() => {});
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

async function readCurrent(
  folder: KindFolder,
  known: ReadonlyMap<string, Entry>,
  isCurrent: (entry: Entry) => boolean,
): Promise<Map<string, Entry>> {
  const current = await folder.readAll(() => {});
  for (const [name, entry] of current) if (!isCurrent(entry)) current.delete(name);
  const names = new Set(await folder.names());
  for (const [name, entry] of known) {
    const isUnreadable = names.has(name) && !current.has(name) && isCurrent(entry);
    if (isUnreadable) current.set(name, entry);
  }
  return current;
}

function changesBetween(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): EntryEvent[] {
  const events: EntryEvent[] = [];
  for (const [name, { key, version }] of before) {
    if (!after.has(name)) events.push({ type: "removed", key, version });
  }
  for (const [name, { key, version }] of after) {
    if (before.get(name)?.version !== version) events.push({ type: "put", key, version });
  }
  return events;
}
