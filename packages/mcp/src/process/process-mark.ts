/**
 * Finds the processes of a server that have left its process group, such as a daemon in a session of its own. Each
 * start of a server has a random mark in its environment, which all its processes inherit. Linux only: other systems do
 * not show the environment of a process, or only through other programs.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

const MARK_VARIABLE = "PLUGBOARD_PROCESS";

/** Removes the mark from the environment of a program. If this process runs in a server, the program outlives it. */
export const WITHOUT_MARK = { [MARK_VARIABLE]: undefined };

/** Returns a new random mark, and the environment variable that holds it. */
export function makeMark(): { readonly mark: string; readonly variable: { readonly [name: string]: string } } {
  const mark = randomUUID();
  return { mark, variable: { [MARK_VARIABLE]: mark } };
}

/** The processes by mark. Kept until the end of the turn, so that servers that are stopped together share a scan. */
let found: Map<string, number[]> | undefined;

/**
 * Returns the running processes with the mark. Throws if no file descriptor is left. Slow: reads the environment of
 * every process of the user.
 */
export function findMarked(mark: string): readonly number[] {
  if (process.platform !== "linux") return [];
  if (!found) {
    found = scan();
    setImmediate(() => (found = undefined)).unref();
  }
  return found.get(mark) ?? [];
}

/** Returns false for a process that has ended, even if another one has its number. */
export function isMarked(pid: number, mark: string): boolean {
  return readMark(pid) === mark;
}

function scan(): Map<string, number[]> {
  const marked = new Map<string, number[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const mark = pid > 0 && pid !== process.pid ? readMark(pid) : undefined;
    if (mark !== undefined) marked.set(mark, [...(marked.get(mark) ?? []), pid]);
  }
  return marked;
}

function readMark(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((text) => text.startsWith(`${MARK_VARIABLE}=`))?.slice(MARK_VARIABLE.length + 1);
  } catch {
    return undefined; // The process has ended or belongs to another user, or no file descriptor is left.
  }
}
