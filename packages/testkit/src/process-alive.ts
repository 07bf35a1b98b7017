/**
 * Checks whether processes are alive. Polls, because Node reports no exit of processes that are not children of the
 * test.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A zombie counts as dead. */
export function isAlive(pid: number): boolean {
  const found = processes().find((process) => process.pid === pid);
  return found !== undefined && !found.state.startsWith("Z");
}

export async function waitUntilDead(pid: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still alive after ${timeoutMs} ms`);
    await delay(20);
  }
}

/** Returns the direct children that are alive. */
export function childrenOf(pid: number): number[] {
  const children = processes().filter((process) => process.parent === pid && !process.state.startsWith("Z"));
  return children.map((child) => child.pid);
}

/** The beginning of the guard's script, see `packages/mcp/src/process/orphan-guard.ts`. */
const ORPHAN_GUARD_COMMENT = "# Plugboard: stops the servers";

/** Returns the server processes of a host. Omits the orphan guard, the child that ends the servers if the host dies. */
export function serversOf(host: number): number[] {
  return childrenOf(host).filter((pid) => !commandLineOf(pid).includes(ORPHAN_GUARD_COMMENT));
}

function commandLineOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return ""; // The process ended during the scan.
  }
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function processes(): ProcessRow[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

function fromProc(): ProcessRow[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The second field is the command in parentheses, which may itself contain spaces and parentheses.
      const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), parent: Number(parent), state }];
    } catch {
      return []; // The process ended during the scan.
    }
  });
}

function fromPs(): ProcessRow[] {
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid, parent, state = ""] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}
