/** Starts and stops the processes of all servers of a host. A host has one instance. */
import type { Clock } from "../lib/clock.ts";
import { instanceVariable } from "./server-environment.ts";
import { OrphanGuard } from "./orphan-guard.ts";
import type { ServerProcess } from "./server-process.ts";
import { spawnServer } from "./spawn-server.ts";
import type { ProcessSpec } from "./spawn-server.ts";

export class Processes {
  readonly #clock: Clock;
  readonly #instance: string | undefined;
  readonly #guard: OrphanGuard | undefined;
  readonly #running = new Set<ServerProcess>();
  /**
   * Kills the servers when the host exits without stopping them. If the host itself is killed, the guard stops them.
   */
  readonly #onExit = () => {
    for (const running of this.#running) running.kill();
  };

  /** `instance` is the id that this host sends to servers. Processes get it in their environment, so that a host can detect a connection to itself. */
  constructor(clock: Clock, instance?: string) {
    this.#clock = clock;
    this.#instance = instance;
    this.#guard = process.platform === "win32" ? undefined : new OrphanGuard(clock);
  }

  async start(spec: ProcessSpec): Promise<ServerProcess> {
    const env = { ...spec.env, ...(this.#instance !== undefined && instanceVariable(process.env, this.#instance)) };
    return spawnServer({ ...spec, env }, this.#clock, (spawned) => this.#track(spawned));
  }

  /** Stops all processes at the same time. A second call kills them immediately. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
  }

  #track(started: ServerProcess): void {
    if (this.#running.size === 0) process.on("exit", this.#onExit);
    this.#running.add(started);
    this.#guard?.watch(started.pid);
    // The process may leave other processes of its group behind.
    void started.exited.then(() => started.stopRemaining()).then(() => this.#untrack(started));
  }

  #untrack(ended: ServerProcess): void {
    this.#running.delete(ended);
    this.#guard?.unwatch(ended.pid);
    if (this.#running.size === 0) process.off("exit", this.#onExit);
  }
}
