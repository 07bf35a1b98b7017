/** A file that something else keeps up to date, and what it holds: a token, an assertion, a key. Waited for when that is of no use. */
import { Listeners } from "@plugboard/contracts";
import { readBounded } from "../../store/read-bounded.ts";

/** Tells, until it is stopped, when the file may hold something else. */
export type FileWatcher = (files: readonly string[], onChange: () => void) => { stop(): void };

const MAX_BYTES = 64 * 1024;

export class WatchedSecretFile {
  readonly file: string;
  readonly #watch: FileWatcher;
  readonly #listeners = new Listeners();
  #watcher: { stop(): void } | undefined;

  constructor(file: string, watch: FileWatcher) {
    this.file = file;
    this.#watch = watch;
  }

  /** Empty where the file is, else why it can't be had. */
  async read(): Promise<string | { readonly why: string }> {
    const read = await readBounded(this.file, MAX_BYTES).catch((error: NodeJS.ErrnoException) => ({
      why: `it can't be read (${error.code ?? "unknown"})`,
    }));
    if ("why" in read) return read;
    const text = Buffer.from(read).toString("utf8");
    return text.replace(/^\ufeff/, "").trim();
  }

  /** From now on, whoever wants to know is told when it may hold another. */
  startWatching(): void {
    this.#watcher ??= this.#watch([this.file], () => {
      this.#stopWatching();
      this.#listeners.emit();
    });
  }

  onChanged(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    return () => {
      stop();
      if (this.#listeners.isEmpty) this.#stopWatching();
    };
  }

  #stopWatching(): void {
    this.#watcher?.stop();
    this.#watcher = undefined;
  }
}
