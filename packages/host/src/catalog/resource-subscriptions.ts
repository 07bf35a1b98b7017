/**
 * The subscriptions of callers to resources of a workspace's servers. If several callers subscribe to a
 * resource, the connection sends only one subscription to the server. A subscription survives
 * reconnects, and changes of the server's definition.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Caller, HostEventData, Clock } from "@plugboard/contracts";
import type { ChangeSubscription, Connection } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import { Throttle } from "../lib/throttle.ts";
import type { RequestTargets } from "./list-across-servers.ts";

export interface ResourceSubscriptionsOptions {
  readonly targets: RequestTargets;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  /** Returns the current connection of the server. */
  readonly connectionOf: (server: string) => Connection | undefined;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
}

/** The most subscriptions of one caller. */
const MAX_PER_CALLER = 64;
/** The shortest time between two events of one subscription. */
const MIN_INTERVAL_MS = 1000;
const METHOD = "resources/subscribe";

export class ResourceSubscriptions {
  readonly #options: ResourceSubscriptionsOptions;
  readonly #byCaller = new Map<string, Map<string, ResourceSubscription>>();

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
    options.released.addEventListener("abort", () => {
      for (const id of this.#byCaller.keys()) this.endCaller(id);
    });
  }

  /**
   * Resolves when the server has accepted the subscription. A second subscription to the same resource changes nothing.
   */
  async subscribe(server: string, uri: string, caller: Caller): Promise<void> {
    const { targets, released } = this.#options;
    if (released.aborted) throw new HostError("HOST_CLOSED", {});
    if (typeof uri !== "string" || uri === "")
      throw new HostError("INVALID_ARGUMENTS", { reason: "the URI is missing" });
    targets.get(server, METHOD);
    const key = keyOf(server, uri);
    const existing = this.#byCaller.get(caller.id)?.get(key);
    if (existing) return existing.established;
    const own = this.#byCaller.get(caller.id) ?? new Map<string, ResourceSubscription>();
    if (own.size >= MAX_PER_CALLER) throw new HostError("TOO_MANY_SUBSCRIPTIONS", { limit: MAX_PER_CALLER });
    const subscription = new ResourceSubscription(server, uri, caller, this.#options);
    this.#byCaller.set(caller.id, own.set(key, subscription));
    try {
      await subscription.established;
    } catch (thrown) {
      this.#remove(caller.id, key, subscription);
      throw thrown;
    }
  }

  unsubscribe(server: string, uri: string, { id }: Caller): void {
    const key = keyOf(server, uri);
    const subscription = this.#byCaller.get(id)?.get(key);
    if (subscription) this.#remove(id, key, subscription);
  }

  /** Ends all subscriptions of a caller. */
  endCaller(id: string): void {
    for (const [key, subscription] of this.#byCaller.get(id) ?? []) this.#remove(id, key, subscription);
  }

  /** Called when servers may have got new connections, for example because their definitions have changed. */
  onServersChanged(): void {
    for (const own of this.#byCaller.values()) for (const subscription of own.values()) subscription.follow();
  }

  #remove(caller: string, key: string, subscription: ResourceSubscription): void {
    subscription.stop();
    const own = this.#byCaller.get(caller);
    if (own?.get(key) === subscription) own.delete(key);
    if (own?.size === 0) this.#byCaller.delete(caller);
  }
}

class ResourceSubscription {
  readonly established: Promise<void>;

  readonly #server: string;
  readonly #uri: string;
  readonly #caller: Caller;
  readonly #options: ResourceSubscriptionsOptions;
  readonly #throttle: Throttle;
  /** The connection of the server that the subscription was made for. */
  #followed: Connection | undefined;
  #subscription: ChangeSubscription | undefined;
  #stopped = false;

  constructor(server: string, uri: string, caller: Caller, options: ResourceSubscriptionsOptions) {
    this.#server = server;
    this.#uri = uri;
    this.#caller = caller;
    this.#options = options;
    const emit = () => options.emit({ type: "resource.updated", caller, server, uri });
    this.#throttle = new Throttle(emit, MIN_INTERVAL_MS, options.clock);
    this.established = this.#start();
  }

  /** If the server has got a new connection, subscribes on that connection. */
  follow(): void {
    const connection = this.#options.connectionOf(this.#server);
    if (this.#stopped || !connection || !this.#followed || connection === this.#followed) return;
    this.#followed = connection;
    // A failure shows in the server's status. The next connection tries again.
    void this.#start().then(
      () => this.#throttle.run(),
      () => {},
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#throttle.stop();
    this.#subscription?.stop();
  }

  async #start(): Promise<void> {
    const { targets, connectionOf } = this.#options;
    try {
      const connection = await targets.get(this.#server, METHOD).lease({ caller: this.#caller });
      this.#followed = connectionOf(this.#server) ?? connection;
      if (this.#stopped) return;
      this.#subscription?.stop();
      const subscription = connection.listen({ uris: [this.#uri] }, () => this.#throttle.run());
      this.#subscription = subscription;
      await connection.ready();
      if (!connection.serverInfo?.capabilities.subscribe)
        throw new HostError("NOT_OFFERED", { server: this.#server, method: METHOD });
      await subscription.established;
    } catch (thrown) {
      throw renameServerInError(toHostError(thrown), this.#server);
    }
  }
}

/** The key is unambiguous, because a server's id contains no space. */
function keyOf(server: string, uri: string): string {
  return `${server} ${uri}`;
}
