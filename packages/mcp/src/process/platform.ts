/** The interface to the parts of process handling that differ between POSIX and Windows. */
import type { ChildProcess, SpawnOptions } from "node:child_process";

export interface Platform {
  /** Returns a promise only if a module has to be loaded. Otherwise the process can be registered in the same turn. */
  spawn(): Spawn | Promise<Spawn>;
  /** Returns the process together with everything that it has started. */
  group(child: ChildProcess): ProcessGroup;
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

export interface ProcessGroup {
  readonly alive: boolean;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** Synchronous, for a host that is about to exit. */
  kill(): void;
}
