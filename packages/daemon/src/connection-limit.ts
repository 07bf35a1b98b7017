/** Limits the connections of each HTTP server, so that file descriptors remain for MCP servers and state files. */
import { readFile } from "node:fs/promises";

const MAX_CONNECTIONS = 1000;
const MIN_CONNECTIONS = 4;

export async function connectionLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  return connectionsFor(Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity));
}

/** Gives half of the file descriptors to the connections of two HTTP servers. */
export function connectionsFor(openFiles: number): number {
  return Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, Math.floor(openFiles / 4)));
}
