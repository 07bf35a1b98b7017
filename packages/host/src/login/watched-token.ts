/** A file that something else keeps up to date, and what it holds: a token, an assertion, a key. Waited for when that is of no use. */
import { readBounded } from "../config/read-bounded.ts";
import { Listeners } from "./access.ts";

/** Tells, until it is stopped, when the file may hold something else. */
export type Watch = (files: readonly string[], onChange: () => void) => { stop(): void };

const MAX_BYTES = 64 * 1024;

export class WatchedToken {
  readonly file: string;
  readonly #watch: Watch;
  readonly #listeners = new Listeners();
  #watching: { stop(): void } | undefined;

  constructor(file: string, watch: Watch) {
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
  await(): void {
    this.#watching ??= this.#watch([this.file], () => {
      this.#stop();
      this.#listeners.tell();
    });
  }

  onChanged(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    return () => {
      stop();
      if (this.#listeners.none) this.#stop();
    };
  }

  #stop(): void {
    this.#watching?.stop();
    this.#watching = undefined;
  }
}
