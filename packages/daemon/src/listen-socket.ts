/** One running host per user: whoever holds the socket is it. A socket that a dead host left behind is taken over. */
import { once } from "node:events";
import { chmod, open, readFile, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { HostError } from "@plugboard/contracts";

export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (process.platform === "win32") return listen(server, path);
  // Two hosts that find the same dead socket must not both clear it away.
  const unlock = await lock(`${path}.lock`);
  try {
    if (await answers(path)) throw new HostError("HOST_RUNNING", { where: path });
    await rm(path, { force: true });
    await listen(server, path);
    await chmod(path, 0o600);
  } finally {
    await unlock();
  }
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new HostError("HOST_RUNNING", { where: path }, { cause: error });
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (await holderIsDead(path)) await rm(path, { force: true });
      // Held for the moment of starting only, and nothing tells when it is let go.
      else await delay(20);
    }
  }
}

async function holderIsDead(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, "utf8").catch(() => ""));
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
