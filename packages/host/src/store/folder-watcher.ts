/** Watches folders for any event. For a missing folder, watches the nearest parent that exists. */
import { statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { ioErrorCode } from "./io-error.ts";

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly inode: string;
}

export class FolderWatcher {
  readonly #onEvent: () => void;
  readonly #watched = new Map<string, WatchedFolder>();
  #isIncomplete = false;

  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
  }

  /** True if a folder can't be watched, for example because of a system limit. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /**
   * Replaces the watched folders. Call it again after each event, because folders may appear, disappear or be
   * replaced.
   */
  watchOnly(folders: readonly string[]): void {
    this.#isIncomplete = false;
    const wanted = new Set(folders.map(nearestExisting));
    for (const folder of wanted) this.#ensure(folder);
    for (const folder of this.#watched.keys()) if (!wanted.has(folder)) this.#drop(folder);
  }

  close(): void {
    for (const folder of this.#watched.keys()) this.#drop(folder);
  }

  #ensure(folder: string): void {
    const inode = inodeOf(folder) ?? "gone";
    if (this.#watched.get(folder)?.inode === inode) return;
    this.#drop(folder);
    try {
      const watcher = watch(folder, { persistent: false }, this.#onEvent);
      watcher.on("error", () => {
        this.#drop(folder);
        this.#isIncomplete = true;
      });
      this.#watched.set(folder, { watcher, inode });
    } catch (error) {
      // A folder that was just deleted is not an error. The next call of `watchOnly` watches its parent.
      if (ioErrorCode(error) !== "ENOENT") this.#isIncomplete = true;
    }
  }

  #drop(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || inodeOf(folder) !== undefined ? folder : nearestExisting(parent);
}

/** Returns undefined if the path is not an accessible folder. */
function inodeOf(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
