/** The listeners for changes of one legacy session. Subscribes each resource once, however many listeners watch it. */
import { matchesFilter } from "../../session/change-notification.ts";
import type { Change, ChangeFilter, ChangeSubscription } from "../../session/session.ts";

type SubscribeMethod = "resources/subscribe" | "resources/unsubscribe";

export class ChangeListeners {
  readonly #listeners = new Map<(change: Change) => void, ChangeFilter>();
  /** The number of listeners for each subscribed resource. */
  readonly #uriCounts = new Map<string, number>();
  readonly #send: (method: SubscribeMethod, uri: string) => void;

  constructor(send: (method: SubscribeMethod, uri: string) => void) {
    this.#send = send;
  }

  /** Sends subscriptions only if the server supports them. */
  add(filter: ChangeFilter, onChange: (change: Change) => void, canSubscribe: boolean): ChangeSubscription {
    const uris = canSubscribe ? (filter.uris ?? []) : [];
    this.#listeners.set(onChange, filter);
    for (const uri of uris) this.#subscribe(uri);
    return {
      stop: () => {
        if (!this.#listeners.delete(onChange)) return;
        for (const uri of uris) this.#unsubscribe(uri);
      },
    };
  }

  emit(change: Change): void {
    for (const [onChange, filter] of this.#listeners) if (matchesFilter(change, filter)) onChange(change);
  }

  /** Subscribes all resources again in a new session, and reports every list as changed. */
  onNewSession(): void {
    for (const uri of this.#uriCounts.keys()) this.#send("resources/subscribe", uri);
    for (const type of ["tools", "resources", "prompts"] as const) this.emit({ type });
  }

  #subscribe(uri: string): void {
    const count = this.#uriCounts.get(uri) ?? 0;
    this.#uriCounts.set(uri, count + 1);
    if (count === 0) this.#send("resources/subscribe", uri);
  }

  #unsubscribe(uri: string): void {
    const count = (this.#uriCounts.get(uri) ?? 0) - 1;
    if (count > 0) return void this.#uriCounts.set(uri, count);
    if (this.#uriCounts.delete(uri)) this.#send("resources/unsubscribe", uri);
  }
}
