/** Which resources a legacy server was asked to watch: each once, however many want to know of it. */
export class WatchedResources {
  readonly #watchers = new Map<string, number>();
  readonly #ask: (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => void;

  constructor(ask: (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => void) {
    this.#ask = ask;
  }

  watch(uri: string): void {
    const watchers = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, watchers + 1);
    if (watchers === 0) this.#ask("resources/subscribe", uri);
  }

  unwatch(uri: string): void {
    const watchers = (this.#watchers.get(uri) ?? 0) - 1;
    if (watchers > 0) return void this.#watchers.set(uri, watchers);
    if (this.#watchers.delete(uri)) this.#ask("resources/unsubscribe", uri);
  }

  /** A new session of the same server knows nothing of them. */
  watchAgain(): void {
    for (const uri of this.#watchers.keys()) this.#ask("resources/subscribe", uri);
  }
}
