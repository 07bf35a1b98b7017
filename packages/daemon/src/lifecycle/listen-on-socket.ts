/**
 * Ensures one running host per user: the host whose socket has the well-known path.
 * A host listens on a temporary path first. It moves this socket to the well-known path only if that path is free,
 * or if no process listens there. If several hosts replace the same dead socket, the last one keeps the path.
 * The others see that they have lost the path, and end.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, link, lstat, rename, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HostError } from "@plugboard/contracts";
import { checkSocketFile, checkSocketPath } from "@plugboard/store";

export interface SocketClaim {
  /** The file of the socket. A named pipe has none. */
  readonly file?: string;
  /** Returns true while this host's socket has the well-known path. */
  isOwned(): Promise<boolean>;
  /** Removes the socket, unless the path belongs to another host. */
  release(): Promise<void>;
}

/** Gives other hosts time to finish replacing the same dead socket. */
const SETTLE_MS = 100;

export async function listenOnSocket(server: Server, path: string): Promise<SocketClaim> {
  if (process.platform === "win32") {
    await listen(server, path);
    return { isOwned: () => Promise.resolve(true), release: () => Promise.resolve() };
  }
  checkSocketPath(path);
  const existing = await lstat(path).catch(() => undefined);
  checkSocketFile(path, existing);
  if (existing?.isDirectory()) throw socketUnusable(path, "a folder has this path");
  // The temporary path is not longer than the well-known path, so both fit the system's limit.
  const temporaryPath = join(dirname(path), `.${randomUUID().slice(-8)}`);
  await listen(server, temporaryPath);
  await chmod(temporaryPath, 0o600);
  const { ino } = await lstat(temporaryPath);
  const isOwned = async () => (await lstat(path).catch(() => undefined))?.ino === ino;
  try {
    if (!(await linkIfFree(temporaryPath, path))) {
      if (await hasListener(path)) throw new HostError("HOST_RUNNING", { location: path });
      await rename(temporaryPath, path);
    }
    await delay(SETTLE_MS);
    if (!(await isOwned())) throw new HostError("HOST_RUNNING", { location: path });
  } catch (error) {
    throw error instanceof HostError ? error : socketUnusable(path, codeOf(error) ?? String(error), error);
  } finally {
    await rm(temporaryPath, { force: true });
  }
  return {
    file: path,
    isOwned,
    async release() {
      if (await isOwned()) await rm(path, { force: true });
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") throw new HostError("HOST_RUNNING", { location: path }, { cause: error });
    throw socketUnusable(path, codeOf(error) ?? String(error), error);
  }
}

async function linkIfFree(temporaryPath: string, path: string): Promise<boolean> {
  try {
    await link(temporaryPath, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Returns true also for a host that is too busy to accept the connection. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => {
      const code = codeOf(error);
      if (code === "ECONNREFUSED" || code === "ENOENT") resolve(false);
      else if (code === "EAGAIN") resolve(true);
      else reject(error);
    });
  });
}

function socketUnusable(path: string, reason: string, cause?: unknown): HostError {
  return new HostError("SOCKET_UNUSABLE", { path, reason }, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
