/**
 * The resources that parts of the page follow. Subscribes to each resource once, however many parts follow it, and
 * again when the page has a new connection to the host.
 */
import type { HostEvent, Workspace } from "@plugboard/contracts";
import { itemKey } from "../format/item-key.ts";

export interface LiveListener {
  /** Called with the time of an update. */
  readonly onUpdate: (at: number) => void;
  /** Called if the server does not accept the subscription. */
  readonly onError: (error: unknown) => void;
}

interface LiveResource {
  readonly server: string;
  readonly uri: string;
  readonly listeners: Set<LiveListener>;
  /** Whether the page has subscribed on the current connection. */
  subscribed: boolean;
  /** The requests of this resource, one after another. */
  work: Promise<void>;
}

export class LiveResources {
  readonly #workspace: () => Workspace;
  readonly #resources = new Map<string, LiveResource>();

  /** `workspace` throws while the page is not connected. */
  constructor(workspace: () => Workspace) {
    this.#workspace = workspace;
  }

  /** Calls the listener when the resource changes. Returns a function that ends this. */
  follow(server: string, uri: string, listener: LiveListener): () => void {
    const key = itemKey(server, uri);
    const resource = this.#resources.get(key) ?? this.#add(key, server, uri);
    resource.listeners.add(listener);
    this.#sync(key, resource);
    return () => {
      resource.listeners.delete(listener);
      this.#sync(key, resource);
    };
  }

  handleEvent(event: HostEvent): void {
    if (event.type !== "resource.updated" && event.type !== "events.missed") return;
    // After missed events, any resource may have changed.
    for (const { server, uri, listeners } of this.#resources.values()) {
      if (event.type === "resource.updated" && (event.server !== server || event.uri !== uri)) continue;
      for (const { onUpdate } of listeners) onUpdate(event.at);
    }
  }

  /** Called when the page has a new connection. Subscribes again, because the old subscriptions have ended. */
  onConnected(): void {
    for (const [key, resource] of this.#resources) {
      resource.subscribed = false;
      this.#sync(key, resource);
    }
  }

  #add(key: string, server: string, uri: string): LiveResource {
    const resource = { server, uri, listeners: new Set<LiveListener>(), subscribed: false, work: Promise.resolve() };
    this.#resources.set(key, resource);
    return resource;
  }

  /** Updates the subscription when earlier requests of the resource have ended. Reports an error to the listeners. */
  #sync(key: string, resource: LiveResource): void {
    resource.work = resource.work
      .then(() => this.#updateSubscription(key, resource))
      .catch((error: unknown) => {
        for (const { onError } of resource.listeners) onError(error);
      });
  }

  /** Subscribes if there are listeners. Otherwise unsubscribes and removes the resource. */
  async #updateSubscription(key: string, resource: LiveResource): Promise<void> {
    const { server, uri, listeners } = resource;
    const isWanted = listeners.size > 0;
    // The key may already belong to a newer object of the same resource.
    if (!isWanted && this.#resources.get(key) === resource) this.#resources.delete(key);
    if (isWanted === resource.subscribed) return;
    resource.subscribed = isWanted;
    const { resources } = this.#workspace();
    try {
      await (isWanted ? resources.subscribe(server, uri) : resources.unsubscribe(server, uri));
    } catch (error) {
      resource.subscribed = false;
      throw error;
    }
  }
}
