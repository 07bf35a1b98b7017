/**
 * A workspace's config as it is now: read again when it is told to be, one
 * reading at a time. What can't be read changes nothing: the last good state
 * stays, and the problem is told; of a project's file its own last good state.
 */
import { toHostError } from "@plugboard/contracts";
import type { ConfigProblem, HostError, WorkspaceSpec } from "@plugboard/contracts";
import { configErrorToProblem } from "../config/read/config-error-to-problem.ts";
import type { Config } from "../config/read/read-config.ts";

export interface ConfigManagerOptions {
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Everything that follows from the config; the next reading waits for it. */
  readonly apply: (config: Config) => Promise<void>;
  readonly onError: (error: HostError) => void;
}

export class ConfigManager {
  readonly #options: ConfigManagerOptions;
  #spec: WorkspaceSpec;
  #current: Config;
  #error: HostError | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(spec: WorkspaceSpec, config: Config, options: ConfigManagerOptions) {
    this.#spec = spec;
    this.#current = config;
    this.#options = options;
  }

  get current(): Config {
    return this.#current;
  }

  get spec(): WorkspaceSpec {
    return this.#spec;
  }

  problems(): ConfigProblem[] {
    const current = this.#error && [configErrorToProblem(this.#error, "what was read before stays in effect")];
    return [...(current ?? []), ...this.#current.problems];
  }

  /** Reads the files again. Never rejects: what can't be read is a problem, and the last good state stays. */
  reload(): Promise<void> {
    return this.#enqueue(async () => {
      try {
        await this.#load(this.#spec);
      } catch (thrown) {
        this.#reportError(toHostError(thrown));
      }
    });
  }

  /** Reads with another invocation. Rejects, and keeps the one that there was, if that can't be read. */
  updateSpec(update: (spec: WorkspaceSpec) => WorkspaceSpec): Promise<void> {
    return this.#enqueue(async () => {
      const spec = update(this.#spec);
      await this.#load(spec);
      this.#spec = spec;
    });
  }

  async #load(spec: WorkspaceSpec): Promise<void> {
    const config = await this.#options.read(spec);
    const known = new Set(this.#current.readErrors.map(({ message }) => message));
    this.#error = undefined;
    this.#current = config;
    for (const error of config.readErrors) if (!known.has(error.message)) this.#options.onError(error);
    await this.#options.apply(config);
  }

  #reportError(error: HostError): void {
    const isNew = this.#error?.message !== error.message;
    this.#error = error;
    if (isNew) this.#options.onError(error);
  }

  #enqueue(run: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(run);
    this.#queue = done.catch(() => {});
    return done;
  }
}
