/** Tells whether a process of this user is running. */
import { readFileSync } from "node:fs";

/** Returns false for a zombie, which has ended. A container may have no init process that reaps it. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user, so it is not the one that was meant.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
  return process.platform !== "linux" || !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the command in parentheses, which may itself contain spaces and parentheses.
    const [state] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X";
  } catch {
    return true; // The process has ended since.
  }
}
