/**
 * Starts each server as the leader of a process group. Everything that the server starts (npx → sh → node) belongs to
 * the group and ends with it. A process that has left the group (setsid, a daemon) is found by its mark when the server
 * is stopped.
 */
import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Platform, ProcessGroup } from "./platform.ts";
import { findMarked, isMarked } from "./process-mark.ts";

const spawnLeader = (command: string, args: readonly string[], options: SpawnOptions) =>
  spawn(command, args, { ...options, detached: true });

export const posix: Platform & { readonly spawn: typeof spawnLeader } = {
  spawn: spawnLeader,
  loadSpawn: () => spawnLeader,
  groupOf: (child, mark) => new PosixGroup(child, mark),
};

class PosixGroup implements ProcessGroup {
  readonly #leader: ChildProcess;
  readonly #id: number;
  readonly #mark: string | undefined;
  /** The running members that the last scan of /proc found. */
  #members: readonly number[] = [];
  /** The marked processes that have left the group. */
  #strays: readonly number[] = [];

  constructor(leader: ChildProcess, mark: string | undefined) {
    this.#leader = leader;
    this.#id = leader.pid!;
    this.#mark = mark;
  }

  get alive(): boolean {
    if (this.#leader.exitCode === null && this.#leader.signalCode === null) return true;
    return (
      (this.#send(0) && (process.platform !== "linux" || this.#hasRunningMember())) || this.#runningStrays().length > 0
    );
  }

  findStrays(): void {
    if (this.#mark === undefined) return;
    try {
      this.#strays = findMarked(this.#mark).filter((pid) => !isRunningInGroup(pid, this.#id));
    } catch {
      // `/proc` can't be read, for example because no file descriptor is left. The group must be stopped anyway.
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#send(signal);
    // The strays may have started other processes.
    if (this.#strays.length > 0) this.findStrays();
    for (const pid of this.#runningStrays()) sendSignal(pid, signal);
  }

  kill(): void {
    this.findStrays();
    this.signal("SIGKILL");
  }

  /** Returns false if no process of the group is left. Signal 0 only checks that. */
  #send(signal: NodeJS.Signals | 0): boolean {
    return sendSignal(-this.#id, signal);
  }

  #runningStrays(): readonly number[] {
    return this.#strays.filter((pid) => isMarked(pid, this.#mark!));
  }

  /**
   * Returns whether the group has a process that is not a zombie. A zombie accepts signals too, and a container may
   * have no init process that reaps it. Scanning all processes is slow, so the members of the last scan are checked
   * first. Returns true if no file descriptor is left for the scan.
   */
  #hasRunningMember(): boolean {
    const isRunning = (pid: number) => isRunningInGroup(pid, this.#id);
    try {
      if (!this.#members.some(isRunning)) this.#members = readdirSync("/proc").map(Number).filter(isRunning);
      return this.#members.length > 0;
    } catch {
      return true;
    }
  }
}

/** Returns false if there is no such process or group. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some systems report EPERM for a group that consists of zombies only.
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}

function isRunningInGroup(pid: number, group: number): boolean {
  if (!(pid > 0)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the command in parentheses, which may itself contain spaces and parentheses.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(processGroup) === group && state !== "Z" && state !== "X";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (OUT_OF_DESCRIPTORS.has(code)) throw error;
    return false; // The process ended during the scan.
  }
}

const OUT_OF_DESCRIPTORS: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);
