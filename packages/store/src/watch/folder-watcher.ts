/** Watches folders for any event. For a missing folder, watches the nearest parent that exists. */
import { statfsSync, statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { ioErrorCode } from "../files/io-error.ts";

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly inode: string;
  readonly isLocal: boolean;
}

export class FolderWatcher {
  readonly #onEvent: () => void;
  readonly #onIncomplete: () => void;
  readonly #watched = new Map<string, WatchedFolder>();
  #isIncomplete = false;

  /** Calls `onIncomplete` if the system stops watching a folder later. */
  constructor(onEvent: () => void, onIncomplete: () => void) {
    this.#onEvent = onEvent;
    this.#onIncomplete = onIncomplete;
  }

  /** True if a folder can't be watched, for example because of a system limit. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** True if every watched folder is on a local file system. Others don't report the changes by other machines. */
  get areLocal(): boolean {
    return [...this.#watched.values()].every(({ isLocal }) => isLocal);
  }

  /**
   * Replaces the watched folders. Call it again after each event, because folders may appear, disappear or be
   * replaced.
   */
  watchOnly(folders: readonly string[]): void {
    this.#isIncomplete = false;
    const wanted = new Set<string>();
    // Looks twice: a folder that appeared just before its parent was watched has caused no event.
    for (const each of [...folders, ...folders]) {
      const folder = nearestExisting(each);
      this.#ensure(folder);
      wanted.add(folder);
    }
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
        this.#onIncomplete();
      });
      this.#watched.set(folder, { watcher, inode, isLocal: isLocal(folder) });
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

/**
 * The types of local file systems, as `statfs` of Linux returns them: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS,
 * ZFS.
 */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1,
]);

/** Returns false if the system does not say which type the file system has. */
function isLocal(folder: string): boolean {
  return process.platform === "linux" && LOCAL_TYPES.has(statfsSync(folder).type);
}
