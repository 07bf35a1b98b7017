/** The listeners for changes of one legacy session. Subscribes each resource once, however many listeners watch it. */
import { matchesFilter } from "../../session/change-notification.ts";
import type { Change, ChangeFilter, ChangeSubscription } from "../../session/session.ts";

export type SubscribeMethod = "resources/subscribe" | "resources/unsubscribe";

interface SubscribedResource {
  listeners: number;
  /** Rejects if the server has rejected the subscription. */
  accepted: Promise<void>;
}

export class ChangeListeners {
  readonly #listeners = new Map<(change: Change) => void, ChangeFilter>();
  readonly #resources = new Map<string, SubscribedResource>();
  readonly #send: (method: SubscribeMethod, uri: string) => Promise<void>;

  constructor(send: (method: SubscribeMethod, uri: string) => Promise<void>) {
    this.#send = send;
  }

  /** Sends subscriptions only if the server supports them. */
  add(filter: ChangeFilter, onChange: (change: Change) => void, canSubscribe: boolean): ChangeSubscription {
    const uris = canSubscribe ? (filter.uris ?? []) : [];
    this.#listeners.set(onChange, filter);
    const established = Promise.all(uris.map((uri) => this.#subscribe(uri))).then(() => {});
    // Listeners that don't wait for the subscription ignore its failure.
    established.catch(() => {});
    return {
      established,
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
    for (const [uri, resource] of this.#resources) resource.accepted = this.#sendSubscribe(uri);
    for (const type of ["tools", "resources", "prompts"] as const) this.emit({ type });
  }

  #subscribe(uri: string): Promise<void> {
    const resource = this.#resources.get(uri) ?? { listeners: 0, accepted: this.#sendSubscribe(uri) };
    resource.listeners += 1;
    this.#resources.set(uri, resource);
    return resource.accepted;
  }

  /** Unsubscribes after the last listener, but not from a resource that the server never accepted. */
  #unsubscribe(uri: string): void {
    const resource = this.#resources.get(uri);
    if (!resource || --resource.listeners > 0) return;
    this.#resources.delete(uri);
    const unsubscribe = () => (this.#resources.has(uri) ? undefined : this.#send("resources/unsubscribe", uri));
    // A server that can't unsubscribe sends updates that nobody reads.
    resource.accepted.then(unsubscribe).catch(() => {});
  }

  #sendSubscribe(uri: string): Promise<void> {
    const accepted = this.#send("resources/subscribe", uri);
    // A failure in a new session is not reported, because the listeners have been told that they are subscribed.
    accepted.catch(() => {});
    return accepted;
  }
}
