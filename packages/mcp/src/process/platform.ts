/** The interface to the parts of process handling that differ between POSIX and Windows. */
import type { ChildProcess, SpawnOptions } from "node:child_process";

export interface Platform {
  /**
   * Returns the function that starts a process. Returns a promise only on Windows, where a module has to be loaded.
   * Elsewhere the caller need not wait, so it can register the process in the same turn.
   */
  loadSpawn(): Spawn | Promise<Spawn>;
  /** Returns the process together with all processes that it has started. The mark finds those that have left its group. */
  groupOf(child: ChildProcess, mark?: string): ProcessGroup;
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

export interface ProcessGroup {
  readonly alive: boolean;
  /** Looks for processes that have left the group. Slow, so it is called only to stop processes. */
  findStrays(): void;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** Sends SIGKILL synchronously, for a host that is about to exit. */
  kill(): void;
}
