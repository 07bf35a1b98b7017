/**
 * One process at a time changes a file. The lock is a file beside it that names
 * its holder; that of a process which has died is taken over. It is for what
 * takes milliseconds, and keeps out only those who ask for it.
 *
 * A dead holder's lock may be replaced only by whoever holds the lock that is
 * named after it: so no two take over, and one that dies at it is survived too.
 */
import { randomBytes, randomInt } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import { steadyNow, systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { isGone, parseHolder, thisProcess } from "./lock-holder.ts";
import type { Holder } from "./lock-holder.ts";
import { ioCode, unwritable } from "./unwritable.ts";

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long one and the same holder is waited for. */
  readonly patienceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const PATIENCE_MS = 10_000;
/** To try is cheap, to find out who holds it is not. */
const LOOK_EVERY_MS = 50;

/** The folder must be there. */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const lock = `${file}.lock`;
  const token = await acquire(lock, file, options);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Where both fail it is for one reason, and the work says more.
    await release(lock, token).catch(() => {});
    throw error;
  }
  await release(lock, token);
  return result;
}

async function acquire(lock: string, file: string, options: LockOptions): Promise<string> {
  const { signal, patienceMs = PATIENCE_MS, clock = systemClock } = options;
  const now = () => steadyNow(clock);
  const token = randomBytes(8).toString("hex");
  const draft = draftOf(lock, token);
  let seen: { readonly text: string; readonly since: number } | undefined;
  let look = now();
  try {
    await writeFile(draft, JSON.stringify(thisProcess(token)), { flag: "wx", mode: 0o600 });
    for (let tries = 0; ; tries++) {
      if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
      if (await place(draft, lock)) return token;
      if (now() >= look) {
        look = now() + LOOK_EVERY_MS;
        const text = (await readIfThere(lock)) ?? "";
        const holder = parseHolder(text);
        if (holder && isGone(holder) && (await takeOver(lock, holder.token, draft, token))) return token;
        if (seen?.text !== text) seen = { text, since: now() };
        const afterMs = Math.round(now() - seen.since);
        if (afterMs >= patienceMs) throw busy(file, holder, afterMs);
      }
      await pause(clock, randomInt(1, 2 ** Math.min(tries, 5) + 1), signal);
    }
  } catch (error) {
    throw error instanceof HostError ? error : unwritable(file, error);
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link, so that the lock is never seen without its holder's name. False if somebody has it. */
async function place(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    if (!NO_LINKS.has(ioCode(error))) throw error;
  }
  try {
    await writeFile(lock, await readFile(draft), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Does not wait: false if somebody else is at it, or has been. */
async function takeOver(lock: string, dead: string, draft: string, token: string): Promise<boolean> {
  const right = `${lock}.${dead}`;
  if (!(await place(draft, right))) {
    const other = await holderOf(right);
    if (!other || !isGone(other) || !(await takeOver(right, other.token, draft, token))) return false;
  }
  try {
    if ((await holderOf(lock))?.token !== dead) return false;
    await writeFile(`${right}.new`, await readFile(draft), { mode: 0o600 });
    await rename(`${right}.new`, lock);
    await rm(draftOf(lock, dead), { force: true });
    return true;
  } finally {
    await release(right, token);
  }
}

async function release(lock: string, token: string): Promise<void> {
  if ((await holderOf(lock))?.token === token) await rm(lock, { force: true, maxRetries: 5 });
}

async function holderOf(lock: string): Promise<Holder | undefined> {
  return parseHolder((await readIfThere(lock)) ?? "");
}

function busy(file: string, holder: Holder | undefined, afterMs: number): HostError {
  const who = holder ? `process ${holder.pid} of ${holder.host}` : "a process that can't be told";
  return new HostError("STORE_BUSY", { file, holder: who, afterMs });
}

function draftOf(lock: string, token: string): string {
  return `${lock}.${token}.draft`;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isAway(error)) return undefined;
    throw error;
  }
}

/** File systems that know no links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EISDIR"]);

/** On Windows, a file that is just being deleted can be neither made nor read. */
const DELETING = new Set(process.platform === "win32" ? ["EPERM", "EACCES", "EBUSY"] : []);

function isTaken(error: unknown): boolean {
  return ioCode(error) === "EEXIST" || DELETING.has(ioCode(error));
}

function isAway(error: unknown): boolean {
  return ioCode(error) === "ENOENT" || DELETING.has(ioCode(error));
}

function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done);
  });
}
