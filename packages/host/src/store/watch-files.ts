/**
 * Watches files for changes, including creation, replacement and deletion. Their folders need not exist. Checks the
 * files when the system reports an event in their folders. Also polls slowly, because not every file system reports
 * events. Combines a burst of events into one call. Does not keep the process alive.
 */
import { statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { steadyNow, systemClock } from "@plugboard/mcp/clock";
import type { Clock } from "@plugboard/mcp";
import { FolderWatcher } from "./folder-watcher.ts";
import { realPathOrSelf, realPathOrSelfSync } from "./real-path.ts";

export interface FileWatchHandle {
  stop(): void;
}

/** Reports every change after it returns, including a new modification time. Watch a file before you read it. */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): FileWatchHandle {
  return new FileWatch([...new Set(paths.map((path) => resolve(path)))], onChange, clock);
}

const DEBOUNCE_MS = 50;
const MAX_BURST_MS = 500;
const POLL_MS = 5000;
const POLL_WHEN_INCOMPLETE_MS = 1000;

class FileWatch implements FileWatchHandle {
  readonly #files: readonly string[];
  readonly #onChange: () => void;
  readonly #clock: Clock;
  readonly #folders = new FolderWatcher(() => this.#scheduleCheck());
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
    this.#folders.watchOnly(files.flatMap((file) => foldersOf(file, realPathOrSelfSync(file))));
    this.#fingerprints = files.map(fingerprintOfSync);
    this.#poll();
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

  #poll(): void {
    const wait = this.#folders.isIncomplete ? POLL_WHEN_INCOMPLETE_MS : POLL_MS;
    const run = () => {
      this.#queueCheck();
      this.#poll();
    };
    this.#cancelPoll = this.#clock.after(wait, run, { background: true });
  }

  #queueCheck(): void {
    this.#burstSince = undefined;
    this.#lastCheck = this.#lastCheck.then(() => this.#check());
  }

  async #check(): Promise<void> {
    const realPaths = await Promise.all(this.#files.map(realPathOrSelf));
    if (this.#stopped) return;
    // Watches before it checks, so that a change in between is not lost.
    this.#folders.watchOnly(this.#files.flatMap((file, index) => foldersOf(file, realPaths[index]!)));
    const current = await Promise.all(this.#files.map(fingerprintOf));
    if (this.#stopped) return;
    const changed = current.some((fingerprint, index) => fingerprint !== this.#fingerprints[index]);
    this.#fingerprints = current;
    if (changed) this.#onChange();
  }
}

/** Returns the folder of the file and, for a link, the folder of its target. */
function foldersOf(file: string, realPath: string): string[] {
  return [dirname(file), dirname(realPath)];
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
