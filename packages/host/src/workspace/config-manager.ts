/**
 * Holds a workspace's config and reads it again when a file changes. Only one reading runs at a time. If the config
 * can't be read, the error is reported and the last valid config stays in effect.
 */
import { toHostError } from "@plugboard/contracts";
import type { ConfigProblem, HostError, WorkspaceSpec } from "@plugboard/contracts";
import { configErrorToProblems } from "@plugboard/config";
import type { Config } from "@plugboard/config";
import type { ServerChanges } from "./server-set.ts";

export interface ConfigManagerOptions {
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Calls `onChange` when one of the files may have changed, until `stop` is called. */
  readonly watch: (files: readonly string[], onChange: () => void) => { stop(): void };
  /** Applies a config to the workspace. The next reading waits for it. */
  readonly apply: (config: Config) => Promise<ServerChanges>;
  readonly onError: (error: HostError) => void;
  /** Called when a config that could not be read is valid again, and `apply` found no changed server. */
  readonly onRepaired: () => void;
}

export class ConfigManager {
  readonly #options: ConfigManagerOptions;
  #spec: WorkspaceSpec;
  #current: Config;
  #error: HostError | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #watcher: { stop(): void } | undefined;
  #watchedFiles: readonly string[] = [];
  #closed = false;

  /** `error` is set if the files can't be read now. Then `config` is the last valid config. */
  constructor(spec: WorkspaceSpec, config: Config, options: ConfigManagerOptions, error?: HostError) {
    this.#spec = spec;
    this.#current = config;
    this.#options = options;
    this.#error = error;
  }

  get current(): Config {
    return this.#current;
  }

  get spec(): WorkspaceSpec {
    return this.#spec;
  }

  problems(): ConfigProblem[] {
    const { problems } = this.#current;
    if (!this.#error) return [...problems];
    return [...configErrorToProblems(this.#error, "the last valid config stays in effect"), ...problems];
  }

  /** Reads the files again. Never rejects: an error is reported, and the last valid config stays. */
  reload(): Promise<void> {
    return this.#enqueue(async () => {
      try {
        await this.#load(this.#spec);
      } catch (thrown) {
        this.#reportError(toHostError(thrown));
      }
    });
  }

  /** Changes the spec and reads the config with it. Rejects and keeps the old spec if the config can't be read. */
  updateSpec(update: (spec: WorkspaceSpec) => WorkspaceSpec): Promise<ServerChanges> {
    return this.#enqueue(async () => {
      const spec = update(this.#spec);
      const changes = await this.#load(spec);
      this.#spec = spec;
      return changes;
    });
  }

  /** Watches the files of the current config. Also reads them again: they may have changed before the watch began. */
  watch(): void {
    const { files } = this.#current;
    const alreadyWatched = this.#watchedFiles.join("\n") === files.join("\n");
    if (this.#closed || alreadyWatched) return;
    this.#watcher?.stop();
    this.#watchedFiles = files;
    this.#watcher = this.#options.watch(files, () => void this.reload());
    void this.reload();
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.stop();
  }

  async #load(spec: WorkspaceSpec): Promise<ServerChanges> {
    const config = await this.#options.read(spec);
    const alreadyReported = new Set(this.#current.readErrors.map(({ message }) => message));
    const wasBroken = this.#error !== undefined || alreadyReported.size > config.readErrors.length;
    this.#error = undefined;
    this.#current = config;
    for (const error of config.readErrors) if (!alreadyReported.has(error.message)) this.#options.onError(error);
    const changes = await this.#options.apply(config);
    const { added, removed, changed } = changes;
    if (wasBroken && added.length + removed.length + changed.length === 0) this.#options.onRepaired();
    return changes;
  }

  #reportError(error: HostError): void {
    const isNew = this.#error?.message !== error.message;
    this.#error = error;
    if (isNew) this.#options.onError(error);
  }

  /** Runs the function after all functions that were enqueued before it, even if one of them failed. */
  #enqueue<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }
}
