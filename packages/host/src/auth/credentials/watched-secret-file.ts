/** A file with a secret, which another program writes. After a server refused the secret, the file is watched. */
import { Listeners } from "@plugboard/contracts";
import { readBounded } from "@plugboard/store";

/** Calls `onChange` when one of the files may have changed, until it is stopped. */
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

  /** Returns the trimmed content, or the reason why the file can't be read. */
  async read(): Promise<string | { readonly failure: string }> {
    const content = await readBounded(this.file, MAX_BYTES).catch((error: NodeJS.ErrnoException) => ({
      reason: error.code ?? "unknown error",
    }));
    if ("reason" in content) return { failure: content.reason };
    const text = Buffer.from(content).toString("utf8");
    return text.replace(/^\ufeff/, "").trim();
  }

  /** Notifies the listeners at the next change. */
  startWatching(): void {
    this.#watcher ??= this.#watch([this.file], () => {
      this.#stopWatching();
      this.#listeners.emit();
    });
  }

  onChanged(listener: () => void): () => void {
    const removeListener = this.#listeners.add(listener);
    return () => {
      removeListener();
      if (this.#listeners.isEmpty) this.#stopWatching();
    };
  }

  #stopWatching(): void {
    this.#watcher?.stop();
    this.#watcher = undefined;
  }
}
