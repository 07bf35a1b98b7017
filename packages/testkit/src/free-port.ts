/** Returns a TCP port that is free and stays free, for servers that can't choose one themselves. */
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * The system gives higher ports to connections and to servers that listen on port 0, so ports of this range stay free.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/** The next port to try. Processes that run tests at the same time begin at different ports. */
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
