/** How many connections a door may hold, so that files are left for servers and for the state. */
import { readFile } from "node:fs/promises";

const MAX = 1000;
const MIN = 4;

export async function connectionLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  return connectionsFor(Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity));
}

/** There are two doors, and half of the files is for connections. */
export function connectionsFor(openFiles: number): number {
  return Math.max(MIN, Math.min(MAX, Math.floor(openFiles / 4)));
}
