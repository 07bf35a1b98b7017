/**
 * One running host per user: whoever's socket has the well-known name is it. A
 * socket is listened on under a name of its own first and then given the
 * well-known one, which fails if somebody has it; so there is no moment in which
 * two hosts can both believe to be the one. What a dead host left is moved away.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, link, lstat, rename, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { HostError } from "@plugboard/contracts";

/** Gives up the name when called; another's is left alone. */
export type GiveUpName = () => Promise<void>;

export async function listenOnSocket(server: Server, path: string): Promise<GiveUpName> {
  if (process.platform === "win32") {
    await listen(server, path);
    return () => Promise.resolve();
  }
  const own = `${path}.${randomUUID().slice(0, 8)}`;
  await listen(server, own);
  try {
    await chmod(own, 0o600);
    const { ino } = await lstat(own);
    while (!(await claim(own, path))) await clearAway(path);
    return async () => {
      const current = await lstat(path).catch(() => undefined);
      if (current?.ino === ino) await rm(path, { force: true });
    };
  } finally {
    await rm(own, { force: true });
  }
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    throw new HostError("HOST_RUNNING", { where: path }, { cause: error });
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

/** Throws if somebody answers there. */
async function clearAway(path: string): Promise<void> {
  if (await answers(path)) throw new HostError("HOST_RUNNING", { where: path });
  const grave = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(path, grave);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  // Between the look and the move a living host may have taken the name: it gets it back.
  if (await answers(grave)) await claim(grave, path);
  await rm(grave, { force: true });
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

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
