/** Every process a host has started. Made once by the composition root and passed down. */
import type { Clock } from "../clock.ts";
import { spawnServer } from "./server-process.ts";
import type { ProcessSpec, ServerProcess } from "./server-process.ts";

export class Processes {
  readonly #clock: Clock;
  readonly #running = new Set<ServerProcess>();
  /** A host that exits without having stopped them takes them along. */
  readonly #onExit = () => {
    for (const running of this.#running) running.kill();
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async start(spec: ProcessSpec): Promise<ServerProcess> {
    const started = await spawnServer(spec, this.#clock);
    if (this.#running.size === 0) process.on("exit", this.#onExit);
    this.#running.add(started);
    // A leader that ends by itself may leave others of its group behind; they go too.
    void started.exited.then(() => started.sweep()).then(() => this.#ended(started));
    return started;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
  }

  #ended(ended: ServerProcess): void {
    this.#running.delete(ended);
    if (this.#running.size === 0) process.off("exit", this.#onExit);
  }
}
