/** Stops the running host step by step. A second request skips the waiting. */
import type { Clock } from "@plugboard/contracts";
import { stopServing } from "../http/stop-serving.ts";
import type { ServingParts } from "../http/stop-serving.ts";

export interface ShutdownSteps {
  readonly clock: Clock;
  /** Removes the name of the socket, so that commands find no host. */
  readonly releaseSocket: () => Promise<void>;
  /** The listeners and services at the time of the stop. */
  readonly parts: () => ServingParts;
  /** Stops the servers. A second call ends them at once. */
  readonly closeHost: () => Promise<void>;
}

export class HostShutdown {
  readonly #steps: ShutdownSteps;
  readonly #begun = new AbortController();
  readonly #forced = new AbortController();
  #stopped: Promise<void> | undefined;
  #resolveEnded = () => {};
  /** Resolves when the host has stopped. */
  readonly ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));

  constructor(steps: ShutdownSteps) {
    this.#steps = steps;
  }

  /** Aborted when stopping begins. */
  get stopping(): AbortSignal {
    return this.#begun.signal;
  }

  readonly stop = (): Promise<void> => {
    if (this.#stopped) {
      this.#forced.abort();
      void this.#steps.closeHost();
    }
    this.#begun.abort();
    this.#stopped ??= this.#run();
    return this.#stopped;
  };

  async #run(): Promise<void> {
    const { clock, releaseSocket, parts, closeHost } = this.#steps;
    await releaseSocket();
    await stopServing(parts(), { clock, forced: this.#forced.signal });
    await closeHost();
    this.#resolveEnded();
  }
}
