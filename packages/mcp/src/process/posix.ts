/**
 * A server leads a process group, and whatever it starts (npx → sh → node) is in
 * it and ends with it. What leaves the group on purpose (setsid, a daemon) is out
 * of reach.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Platform, ProcessGroup } from "./platform.ts";

export const posix: Platform = {
  spawn: () => (command, args, options) => spawn(command, args, { ...options, detached: true }),
  group: (child) => new PosixGroup(child),
};

class PosixGroup implements ProcessGroup {
  readonly #leader: ChildProcess;
  readonly #id: number;
  #members: readonly number[] = [];

  constructor(leader: ChildProcess) {
    this.#leader = leader;
    this.#id = leader.pid!;
  }

  get alive(): boolean {
    if (this.#leader.exitCode === null && this.#leader.signalCode === null) return true;
    return this.#send(0) && (process.platform !== "linux" || this.#hasRunningMember());
  }

  signal(signal: NodeJS.Signals): void {
    this.#send(signal);
  }

  kill(): void {
    this.#send("SIGKILL");
  }

  /** False when nobody is left to hear it. */
  #send(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#id, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A group that is all zombies refuses with EPERM on some systems; it is as good as gone.
      if (code === "ESRCH" || code === "EPERM") return false;
      throw error;
    }
  }

  /**
   * Zombies hear signals too, and one whose parent has died stays until somebody asks how it ended, which in a
   * container may be never. To look at every process is slow, so it is done only when those known are gone.
   * Where it can't be looked, for want of descriptors, whoever hears signals counts as running.
   */
  #hasRunningMember(): boolean {
    const runs = (pid: number) => isRunningInGroup(pid, this.#id);
    try {
      if (!this.#members.some(runs)) this.#members = readdirSync("/proc").map(Number).filter(runs);
      return this.#members.length > 0;
    } catch {
      return true;
    }
  }
}

function isRunningInGroup(pid: number, group: number): boolean {
  if (!(pid > 0)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the command in brackets, which may itself hold blanks and brackets.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(processGroup) === group && state !== "Z" && state !== "X";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (OUT_OF_DESCRIPTORS.has(code)) throw error;
    return false; // It ended while we were looking.
  }
}

const OUT_OF_DESCRIPTORS: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);
