/** Reads the log of a server, and follows it while a host writes it. Works without a running host. */
import { open, readFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Env, ServerLogLine } from "@plugboard/contracts";
import { stateFolder, watchFiles } from "@plugboard/store";
import { undefinedIfMissing } from "./journal-files.ts";
import { parseServerLog, serverLogFiles, serverLogFolder } from "./server-log-file.ts";
import type { ServerLogFiles } from "./server-log-file.ts";

/** Returns the last lines, oldest first. Returns undefined if the server has no log. */
export async function readServerLog(env: Env, server: string, maxLines: number): Promise<ServerLogLine[] | undefined> {
  const files = serverLogFiles(serverLogFolder(stateFolder(env)), server);
  if (!files) return undefined;
  const current = await undefinedIfMissing(readFile(files.current, "utf8"));
  const older = await undefinedIfMissing(readFile(files.older, "utf8"));
  if (current === undefined && older === undefined) return undefined;
  return lastOf(parseServerLog(`${older ?? ""}${current ?? ""}`), maxLines);
}

/**
 * Passes on the last lines, and then each new line until the signal aborts. The log need not exist yet. Throws if the
 * log can't be read.
 */
export async function followServerLog(
  env: Env,
  server: string,
  { maxLines, onLines, signal }: FollowLogOptions,
): Promise<void> {
  const files = serverLogFiles(serverLogFolder(stateFolder(env)), server);
  if (!files || signal.aborted) return;
  const follower = new LogFollower(files);
  let isFirst = true;
  const readNew = async () => {
    const lines = parseServerLog(await follower.readNew());
    if (!signal.aborted) onLines(isFirst ? lastOf(lines, maxLines) : lines);
    isFirst = false;
  };
  await new Promise<void>((resolve, reject) => {
    let reading: Promise<void> = Promise.resolve();
    const queueRead = () => void (reading = reading.then(readNew).catch(reject));
    const watch = watchFiles([files.current], queueRead);
    // The watch does not keep the process alive.
    const keepAlive = setInterval(() => {}, 2 ** 30);
    signal.addEventListener("abort", () => {
      watch.stop();
      clearInterval(keepAlive);
      resolve();
    });
    queueRead();
  });
}

export interface FollowLogOptions {
  /** How many of the existing lines are passed on. */
  readonly maxLines: number;
  readonly onLines: (lines: readonly ServerLogLine[]) => void;
  readonly signal: AbortSignal;
}

interface ReadPosition {
  readonly inode: number;
  readonly offset: number;
}

/** Reads the lines since the last read, even if the current file has been renamed to the older file meanwhile. */
class LogFollower {
  readonly #files: ServerLogFiles;
  #file: ReadPosition | undefined;
  #isFirst = true;

  constructor(files: ServerLogFiles) {
    this.#files = files;
  }

  async readNew(): Promise<string> {
    const before = this.#file;
    const current = await this.#readFrom(this.#files.current, before);
    if (before && current?.inode === before.inode) return current.text;
    const older = await this.#readFrom(this.#files.older, before);
    // In the first read, all of the older file is new.
    const isContinued = this.#isFirst || (before && older?.inode === before.inode);
    this.#isFirst = false;
    return `${isContinued ? (older?.text ?? "") : ""}${current?.text ?? ""}`;
  }

  /** Reads from the given offset if it belongs to this file, otherwise from the start. */
  async #readFrom(path: string, from: ReadPosition | undefined): Promise<{ inode: number; text: string } | undefined> {
    const file = await undefinedIfMissing(open(path));
    if (!file) return undefined;
    try {
      const { ino: inode, size } = await file.stat();
      const start = from?.inode === inode && from.offset <= size ? from.offset : 0;
      const text = await readRange(file, start, size);
      if (path === this.#files.current) this.#file = { inode, offset: start + Buffer.byteLength(text) };
      return { inode, text };
    } finally {
      await file.close();
    }
  }
}

/** Returns only complete lines. */
async function readRange(file: FileHandle, start: number, end: number): Promise<string> {
  const buffer = Buffer.alloc(Math.max(0, end - start));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  return buffer.toString("utf8", 0, buffer.lastIndexOf(10, bytesRead - 1) + 1);
}

function lastOf<T>(items: readonly T[], count: number): T[] {
  return count === 0 ? [] : items.slice(-count);
}
