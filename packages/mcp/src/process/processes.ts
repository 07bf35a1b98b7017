/** Starts and stops the processes of all servers of a host. A host has one instance. */
import type { Clock } from "@plugboard/contracts";
import { instanceVariable } from "./server-environment.ts";
import { OrphanGuard } from "./orphan-guard.ts";
import type { ServerProcess } from "./server-process.ts";
import { DEFAULT_MAX_STARTS, StartQueue } from "./start-queue.ts";
import { spawnServer } from "./spawn-server.ts";
import type { ProcessSpec } from "./spawn-server.ts";

export class Processes {
  /** Each connection waits in this queue before it starts its process. */
  readonly starts: StartQueue;

  readonly #clock: Clock;
  readonly #instance: string | undefined;
  readonly #maxStarts: number;
  readonly #guard: OrphanGuard | undefined;
  readonly #running = new Set<ServerProcess>();
  /** The processes that were started ahead and that no connection has asked for yet, by their spec. */
  readonly #startedAhead = new Map<string, Promise<ServerProcess>>();
  /**
   * Kills the servers when the host exits without stopping them. If the host itself is killed, the guard stops them.
   */
  readonly #onExit = () => {
    for (const running of this.#running) running.kill();
  };

  /**
   * `instance` is the id that this host sends to servers. Processes get it in their environment, so that a host can
   * detect a connection to itself.
   */
  constructor(clock: Clock, instance?: string, maxStarts = DEFAULT_MAX_STARTS) {
    this.starts = new StartQueue(clock, maxStarts);
    this.#clock = clock;
    this.#maxStarts = maxStarts;
    this.#instance = instance;
    this.#guard = process.platform === "win32" ? undefined : new OrphanGuard(clock);
  }

  /**
   * Starts a process before its connection asks for it. The next `start` with an equal spec returns it. Does nothing
   * once `maxStarts` processes are started ahead.
   */
  startAhead(spec: ProcessSpec): void {
    const key = keyOf(spec);
    if (this.#startedAhead.has(key) || this.#startedAhead.size >= this.#maxStarts) return;
    const started = this.#spawn(spec);
    // `start` reports the error.
    started.catch(() => {});
    this.#startedAhead.set(key, started);
  }

  async start(spec: ProcessSpec): Promise<ServerProcess> {
    const key = keyOf(spec);
    const startedAhead = this.#startedAhead.get(key);
    this.#startedAhead.delete(key);
    return startedAhead ?? this.#spawn(spec);
  }

  /** Stops all processes at the same time. A second call kills them immediately. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
  }

  #spawn(spec: ProcessSpec): Promise<ServerProcess> {
    const env = { ...spec.env, ...(this.#instance !== undefined && instanceVariable(process.env, this.#instance)) };
    return spawnServer({ ...spec, env }, this.#clock, (spawned) => this.#track(spawned));
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

/** Ignores the server's id, because servers with equal definitions share a process. */
function keyOf({ command, args, cwd, env, sandbox }: ProcessSpec): string {
  return JSON.stringify([command, args, cwd, env, sandbox]);
}
