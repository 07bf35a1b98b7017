/** What differs between systems when a server is started and ended. Each has a file of its own. */
import type { ChildProcess, SpawnOptions } from "node:child_process";

export interface Platform {
  /** At once where nothing has to be loaded for it, so that no moment passes between a start and what must follow it. */
  spawn(): Spawn | Promise<Spawn>;
  /** Everything that came of a process. */
  group(child: ChildProcess): ProcessGroup;
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

export interface ProcessGroup {
  readonly alive: boolean;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** Done when it returns, for a host that is about to exit. */
  kill(): void;
}
