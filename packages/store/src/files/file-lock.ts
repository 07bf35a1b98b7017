/**
 * An advisory lock that lets one process at a time change a file, for a few milliseconds. The lock is a second file
 * that names its holder. If the holder has died, a waiting process takes over the lock. It first acquires a takeover
 * lock, named after the dead holder, so that two processes never take over the same lock. If that process dies too, its
 * takeover lock is taken over in the same way.
 */
import { randomBytes, randomInt } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { cancelled, HostError, abortableDelay, steadyNow, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { isHolderDead, parseHolder, currentProcessHolder } from "./lock-holder.ts";
import type { LockHolder } from "./lock-holder.ts";
import { ioErrorCode, unwritableError } from "./io-error.ts";

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait while the same process holds the lock. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 10_000;
/** Trying to create the lock is cheap. Checking whether its holder is alive is not. */
const CHECK_INTERVAL_MS = 50;

/** Expects that the folder exists. Throws STORE_BUSY if the lock is not released in time. */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const lock = `${file}.lock`;
  const token = await acquire(lock, file, options);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // If releasing fails too, it has the same cause. The error of the work is clearer.
    await release(lock, token).catch(() => {});
    throw error;
  }
  await release(lock, token);
  return result;
}

async function acquire(lock: string, file: string, options: LockOptions): Promise<string> {
  const { signal, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const now = () => steadyNow(clock);
  const token = randomBytes(8).toString("hex");
  const tempFile = tempFileOf(lock, token);
  // The timeout starts again when another process gets the lock.
  let lastSeen: { readonly text: string; readonly since: number } | undefined;
  let nextCheck = now();
  try {
    await writeFile(tempFile, JSON.stringify(currentProcessHolder(token)), { flag: "wx", mode: 0o600 });
    for (let tries = 0; ; tries++) {
      if (signal?.aborted) throw cancelled();
      if (await tryCreateLock(tempFile, lock)) return token;
      if (now() >= nextCheck) {
        nextCheck = now() + CHECK_INTERVAL_MS;
        const text = (await readIfExists(lock)) ?? "";
        const holder = parseHolder(text);
        if (holder && isHolderDead(holder) && (await takeOver(lock, holder.token, tempFile, token))) return token;
        if (lastSeen?.text !== text) lastSeen = { text, since: now() };
        const afterMs = Math.round(now() - lastSeen.since);
        if (afterMs >= timeoutMs) throw busyError(file, holder, afterMs);
      }
      const maxDelayMs = 2 ** Math.min(tries, 5);
      await abortableDelay(clock, randomInt(1, maxDelayMs + 1), [signal]);
    }
  } catch (error) {
    throw error instanceof HostError ? error : unwritableError(file, error);
  } finally {
    await rm(tempFile, { force: true });
  }
}

/**
 * Uses a hard link, so that the lock never exists without the name of its holder. Returns false if the lock exists.
 * Writes a new file where hard links are not supported.
 */
async function tryCreateLock(tempFile: string, lock: string): Promise<boolean> {
  try {
    await link(tempFile, lock);
    return true;
  } catch (error) {
    if (isAlreadyLocked(error)) return false;
    if (!NO_HARD_LINKS.has(ioErrorCode(error))) throw error;
  }
  try {
    await writeFile(lock, await readFile(tempFile), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (isAlreadyLocked(error)) return false;
    throw error;
  }
}

/** Returns false at once if another process is taking over the lock. */
async function takeOver(lock: string, deadToken: string, tempFile: string, token: string): Promise<boolean> {
  const takeoverLock = `${lock}.${deadToken}`;
  if (!(await tryCreateLock(tempFile, takeoverLock))) {
    const other = await holderOf(takeoverLock);
    if (!other || !isHolderDead(other) || !(await takeOver(takeoverLock, other.token, tempFile, token))) return false;
  }
  try {
    if ((await holderOf(lock))?.token !== deadToken) return false;
    await writeFile(`${takeoverLock}.new`, await readFile(tempFile), { mode: 0o600 });
    await rename(`${takeoverLock}.new`, lock);
    await rm(tempFileOf(lock, deadToken), { force: true });
    return true;
  } finally {
    await release(takeoverLock, token);
  }
}

async function release(lock: string, token: string): Promise<void> {
  if ((await holderOf(lock))?.token === token) await rm(lock, { force: true, maxRetries: 5 });
}

async function holderOf(lock: string): Promise<LockHolder | undefined> {
  return parseHolder((await readIfExists(lock)) ?? "");
}

function busyError(file: string, holder: LockHolder | undefined, afterMs: number): HostError {
  const holderName = holder ? `process ${holder.pid} of ${holder.host}` : "an unknown process";
  return new HostError("STORE_BUSY", { file, holder: holderName, afterMs });
}

function tempFileOf(lock: string, token: string): string {
  return `${lock}.${token}.draft`;
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Errors of file systems without hard links. */
const NO_HARD_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EISDIR"]);

/** On Windows, a file that is being deleted can be neither created nor read. */
const DELETING = new Set(process.platform === "win32" ? ["EPERM", "EACCES", "EBUSY"] : []);

function isAlreadyLocked(error: unknown): boolean {
  return ioErrorCode(error) === "EEXIST" || DELETING.has(ioErrorCode(error));
}

function isMissing(error: unknown): boolean {
  return ioErrorCode(error) === "ENOENT" || DELETING.has(ioErrorCode(error));
}
