/**
 * One running host per user: whoever's socket has the well-known name is it. A
 * socket is listened on under a name of its own and then given the well-known
 * one: only if that is free, or if nobody answers there any more. Of several that
 * find the same dead socket the last to take its place stays; the others see
 * that they have lost the name, and end.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, link, lstat, rename, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HostError } from "@plugboard/contracts";
import { checkSocketFile, checkSocketPath } from "@plugboard/host";

export interface SocketName {
  /** Whether the name is still ours. */
  held(): Promise<boolean>;
  /** Another's is left alone. */
  giveUp(): Promise<void>;
}

/** Long enough for others that were about to take the same dead socket's place to have done so. */
const SETTLE_MS = 100;

export async function listenOnSocket(server: Server, path: string): Promise<SocketName> {
  if (process.platform === "win32") {
    await listen(server, path);
    return { held: () => Promise.resolve(true), giveUp: () => Promise.resolve() };
  }
  checkSocketPath(path);
  const found = await lstat(path).catch(() => undefined);
  checkSocketFile(path, found);
  if (found?.isDirectory()) throw unusable(path, "a folder is in its place");
  // The draft is as long as the final name, so that both fit the system's limit.
  const own = join(dirname(path), `.${randomUUID().slice(0, 8)}`);
  await listen(server, own);
  await chmod(own, 0o600);
  const { ino } = await lstat(own);
  const held = async () => (await lstat(path).catch(() => undefined))?.ino === ino;
  try {
    if (!(await claim(own, path))) {
      if (await answers(path)) throw new HostError("HOST_RUNNING", { where: path });
      await rename(own, path);
    }
    await delay(SETTLE_MS);
    if (!(await held())) throw new HostError("HOST_RUNNING", { where: path });
  } catch (error) {
    throw error instanceof HostError ? error : unusable(path, codeOf(error) ?? String(error), error);
  } finally {
    await rm(own, { force: true });
  }
  return {
    held,
    async giveUp() {
      if (await held()) await rm(path, { force: true });
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") throw new HostError("HOST_RUNNING", { where: path }, { cause: error });
    throw unusable(path, codeOf(error) ?? String(error), error);
  }
}

async function claim(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** A host that is too busy to accept is there all the same. */
function answers(path: string): Promise<boolean> {
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

function unusable(path: string, what: string, cause?: unknown): HostError {
  return new HostError("SOCKET_UNUSABLE", { path, what }, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
