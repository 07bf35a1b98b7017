/** Returns a TCP port that is free and stays free, for servers that can't choose one themselves. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that a system gives to connections and to servers without a port of their own. */
const FIRST = 20_000;
const COUNT = 12_000;

/** Spreads the processes that run tests at the same time, so that they don't try the same ports. */
let next = (process.pid * 97) % COUNT;

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
