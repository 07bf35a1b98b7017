/**
 * A workspace's config as it is now: read again when it is told to be, one
 * reading at a time. What can't be read changes nothing: the last good state
 * stays, and the problem is told; of a project's file its own last good state.
 */
import { toHostError } from "@plugboard/contracts";
import type { ConfigProblem, HostError, WorkspaceSpec } from "@plugboard/contracts";
import { refusalProblem } from "../config/refusal-problem.ts";
import type { Config } from "../config/read-config.ts";

export interface KeptConfigOptions {
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Everything that follows from the config; the next reading waits for it. */
  readonly apply: (config: Config) => Promise<void>;
  readonly onRefused: (error: HostError) => void;
}

export class KeptConfig {
  readonly #options: KeptConfigOptions;
  #spec: WorkspaceSpec;
  #current: Config;
  #refusal: HostError | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(spec: WorkspaceSpec, config: Config, options: KeptConfigOptions) {
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
    const refused = this.#refusal && [refusalProblem(this.#refusal, "what was read before stays in effect")];
    return [...(refused ?? []), ...this.#current.problems];
  }

  /** Reads the files again. Never rejects: what can't be read is a problem, and the last good state stays. */
  reload(): Promise<void> {
    return this.#next(async () => {
      try {
        await this.#take(this.#spec);
      } catch (thrown) {
        this.#refuse(toHostError(thrown));
      }
    });
  }

  /** Reads with another invocation. Rejects, and keeps the one that there was, if that can't be read. */
  change(to: (spec: WorkspaceSpec) => WorkspaceSpec): Promise<void> {
    return this.#next(async () => {
      const spec = to(this.#spec);
      await this.#take(spec);
      this.#spec = spec;
    });
  }

  async #take(spec: WorkspaceSpec): Promise<void> {
    const config = await this.#options.read(spec);
    const known = new Set(this.#current.refusals.map(({ message }) => message));
    this.#refusal = undefined;
    this.#current = config;
    for (const error of config.refusals) if (!known.has(error.message)) this.#options.onRefused(error);
    await this.#options.apply(config);
  }

  #refuse(error: HostError): void {
    const news = this.#refusal?.message !== error.message;
    this.#refusal = error;
    if (news) this.#options.onRefused(error);
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#reading.then(work);
    this.#reading = done.catch(() => {});
    return done;
  }
}
