/** Which resources a legacy server was asked to watch: each once, however many want to know of it. */
export class ResourceSubscriptions {
  readonly #counts = new Map<string, number>();
  readonly #send: (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => void;

  constructor(send: (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => void) {
    this.#send = send;
  }

  subscribe(uri: string): void {
    const count = this.#counts.get(uri) ?? 0;
    this.#counts.set(uri, count + 1);
    if (count === 0) this.#send("resources/subscribe", uri);
  }

  unsubscribe(uri: string): void {
    const count = (this.#counts.get(uri) ?? 0) - 1;
    if (count > 0) return void this.#counts.set(uri, count);
    if (this.#counts.delete(uri)) this.#send("resources/unsubscribe", uri);
  }

  /** A new session of the same server knows nothing of them. */
  resubscribe(): void {
    for (const uri of this.#counts.keys()) this.#send("resources/subscribe", uri);
  }
}
