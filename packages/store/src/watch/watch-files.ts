/**
 * Watches files for changes, including creation, replacement and deletion. Their folders need not exist. Checks the
 * files when the system reports an event in their folders, or in the folder of a link on the way to them. Also polls:
 * once a minute, because a folder further up may be renamed, and more often where the system may not report every
 * change. Combines a burst of events into one call. Does not keep the process alive.
 */
import { lstatSync, readlinkSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { steadyNow, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { FolderWatcher } from "./folder-watcher.ts";
import { realPathOrSelfSync } from "../files/real-path.ts";

export interface FileWatchHandle {
  stop(): void;
}

/**
 * Reports every change after it has returned, even if only the modification time is new. To miss no change, start
 * watching a file before you read it.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): FileWatchHandle {
  return new FileWatch([...new Set(paths.map((path) => resolve(path)))], onChange, clock);
}

const DEBOUNCE_MS = 50;
const MAX_BURST_MS = 500;
const POLL_MS = 60_000;
const POLL_WHEN_REMOTE_MS = 5000;
const POLL_WHEN_INCOMPLETE_MS = 1000;

class FileWatch implements FileWatchHandle {
  readonly #files: readonly string[];
  readonly #onChange: () => void;
  readonly #clock: Clock;
  readonly #folders = new FolderWatcher(
    () => this.#scheduleCheck(),
    () => this.#schedulePoll(),
  );
  #fingerprints: readonly string[];
  #burstSince: number | undefined;
  #cancelCheck = () => {};
  #cancelPoll = () => {};
  /** Runs checks one at a time, so that an older result never replaces a newer one. */
  #lastCheck: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(files: readonly string[], onChange: () => void, clock: Clock) {
    this.#files = files;
    this.#onChange = onChange;
    this.#clock = clock;
    this.#folders.watchOnly(foldersOf(files));
    this.#fingerprints = files.map(fingerprintOfSync);
    this.#schedulePoll();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelCheck();
    this.#cancelPoll();
    this.#folders.close();
  }

  #scheduleCheck(): void {
    if (this.#stopped) return;
    const now = steadyNow(this.#clock);
    this.#burstSince ??= now;
    const wait = Math.min(DEBOUNCE_MS, this.#burstSince + MAX_BURST_MS - now);
    this.#cancelCheck();
    this.#cancelCheck = this.#clock.after(Math.max(0, wait), () => this.#queueCheck(), { background: true });
  }

  #schedulePoll(): void {
    const { isIncomplete, areLocal } = this.#folders;
    const wait = isIncomplete ? POLL_WHEN_INCOMPLETE_MS : areLocal ? POLL_MS : POLL_WHEN_REMOTE_MS;
    this.#cancelPoll();
    this.#cancelPoll = this.#clock.after(wait, () => this.#queueCheck(), { background: true });
  }

  #queueCheck(): void {
    this.#burstSince = undefined;
    this.#lastCheck = this.#lastCheck.then(() => this.#check());
  }

  async #check(): Promise<void> {
    if (this.#stopped) return;
    // Watches before it checks, so that a change in between is not lost.
    this.#folders.watchOnly(foldersOf(this.#files));
    this.#schedulePoll();
    const current = await Promise.all(this.#files.map(fingerprintOf));
    if (this.#stopped) return;
    const changed = current.some((fingerprint, index) => fingerprint !== this.#fingerprints[index]);
    this.#fingerprints = current;
    if (changed) this.#onChange();
  }
}

/** Returns the folder of each file, and the folders of all links on the way to it and of their targets. */
function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  const visited = new Set<string>();
  const followLinks = (path: string) => {
    const folder = dirname(path);
    if (folder === path || visited.has(path)) return;
    visited.add(path);
    followLinks(folder);
    const target = linkTarget(path);
    if (target !== undefined) add(resolve(realPathOrSelfSync(folder), target)).add(folder);
  };
  const add = (path: string) => {
    followLinks(path);
    return folders.add(dirname(path));
  };
  files.forEach(add);
  return [...folders];
}

/** Returns undefined for a path that is not a link, or not accessible. */
function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const ABSENT = "absent";

function fingerprintOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(formatFingerprint, () => ABSENT);
}

function fingerprintOfSync(file: string): string {
  try {
    return formatFingerprint(statSync(file, { bigint: true }));
  } catch {
    return ABSENT;
  }
}

function formatFingerprint({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
