/**
 * Tells when files appear, change, are replaced or go away, once per burst; their
 * folders need not exist. Looks when the system reports something near them, and
 * slowly by itself, since not every file system reports. Keeps no process alive.
 */
import { realpathSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { steadyNow, systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { FolderWatch } from "./watch-folders.ts";

export interface Watching {
  stop(): void;
}

/** What changes after this returns is told; so watch first, then read. A file that was only touched is told too. */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Watching {
  return new FileWatch([...new Set(paths.map((path) => resolve(path)))], onChange, clock);
}

const QUIET_MS = 50;
const LONGEST_BURST_MS = 500;
const POLL_MS = 5000;
const POLL_WHEN_DEAF_MS = 1000;

class FileWatch implements Watching {
  readonly #files: readonly string[];
  readonly #onChange: () => void;
  readonly #clock: Clock;
  readonly #folders = new FolderWatch(() => this.#lookSoon());
  #known: readonly string[];
  #burstSince: number | undefined;
  #cancelLook = () => {};
  #cancelPoll = () => {};
  /** Looks come one after another: an older one must not report over a newer one. */
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(files: readonly string[], onChange: () => void, clock: Clock) {
    this.#files = files;
    this.#onChange = onChange;
    this.#clock = clock;
    this.#folders.set(files.flatMap((file) => foldersOf(file, realOrNot(file))));
    this.#known = files.map(fingerprintNow);
    this.#poll();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook();
    this.#cancelPoll();
    this.#folders.close();
  }

  #lookSoon(): void {
    if (this.#stopped) return;
    const now = steadyNow(this.#clock);
    this.#burstSince ??= now;
    const wait = Math.min(QUIET_MS, this.#burstSince + LONGEST_BURST_MS - now);
    this.#cancelLook();
    this.#cancelLook = this.#clock.after(Math.max(0, wait), () => this.#queueLook(), true);
  }

  #poll(): void {
    const wait = this.#folders.deaf ? POLL_WHEN_DEAF_MS : POLL_MS;
    const run = () => {
      this.#queueLook();
      this.#poll();
    };
    this.#cancelPoll = this.#clock.after(wait, run, true);
  }

  #queueLook(): void {
    this.#burstSince = undefined;
    this.#last = this.#last.then(() => this.#look());
  }

  async #look(): Promise<void> {
    const real = await Promise.all(this.#files.map((file) => realpath(file).catch(() => file)));
    if (this.#stopped) return;
    // First watch, then look: what comes between the two is reported, not lost.
    this.#folders.set(this.#files.flatMap((file, at) => foldersOf(file, real[at]!)));
    const seen = await Promise.all(this.#files.map(fingerprintOf));
    if (this.#stopped) return;
    const changed = seen.some((one, at) => one !== this.#known[at]);
    this.#known = seen;
    if (changed) this.#onChange();
  }
}

/** Where a link stands, and where what it leads to does. */
function foldersOf(file: string, real: string): string[] {
  return [dirname(file), dirname(real)];
}

function realOrNot(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const ABSENT = "absent";

function fingerprintOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(fingerprint, () => ABSENT);
}

function fingerprintNow(file: string): string {
  try {
    return fingerprint(statSync(file, { bigint: true }));
  } catch {
    return ABSENT;
  }
}

function fingerprint({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
