/**
 * The `subscriptions/listen` requests of one modern session. Each is a long request on whose stream the server reports
 * changes. A lost stream is reopened with backoff, and everything it covers is then reported as changed.
 */
import { backoff, cancelled, HostError, steadyNow } from "@plugboard/contracts";
import type { Json, JsonObject, Clock } from "@plugboard/contracts";
import { Deferred } from "../../lib/deferred.ts";
import { isAuthError } from "../../wire/is-auth-error.ts";
import type { OutgoingRequest } from "../../wire/outgoing-request.ts";
import type { RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import { matchesFilter } from "../../session/change-notification.ts";
import { NO_CAPABILITIES } from "../../session/identity.ts";
import { requestFailed } from "../../session/outcome.ts";
import type { Change, ChangeFilter, ChangeSubscription } from "../../session/session.ts";
import { requestHeaders } from "./request-headers.ts";
import { requestMeta } from "./request-meta.ts";
import type { Envelope } from "./request-meta.ts";

export interface SubscriptionsOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly random: () => number;
}

interface SubscriptionOptions extends SubscriptionsOptions {
  readonly filter: ChangeFilter;
  readonly onChange: (change: Change) => void;
}

const METHOD = "subscriptions/listen";
/** A stream that lasted this long resets the backoff. */
const STABLE_MS = 60_000;
/** How long a server may take to acknowledge a subscription. */
const ACKNOWLEDGE_MS = 30_000;

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #open = new Set<Subscription>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  add(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const subscription = new Subscription({ ...this.#options, filter, onChange });
    this.#open.add(subscription);
    return {
      established: subscription.established,
      stop: () => {
        this.#open.delete(subscription);
        subscription.stop();
      },
    };
  }

  /** Emits to the named subscription, or to all if the notification names none. */
  emit(change: Change, subscriptionId: Json | undefined, relatedRequestId: RequestId | undefined): void {
    const subscription = this.#find(subscriptionId) ?? this.#find(relatedRequestId);
    if (subscription) return subscription.emit(change);
    if (subscriptionId === undefined) for (const one of this.#open) one.emit(change);
  }

  onAcknowledged(subscriptionId: Json | undefined, relatedRequestId: RequestId | undefined): void {
    (this.#find(subscriptionId) ?? this.#find(relatedRequestId))?.onAcknowledged();
  }

  onEndedByServer(id: Json | undefined): void {
    this.#find(id)?.onEndedByServer();
  }

  stop(): void {
    for (const subscription of this.#open) subscription.stop();
  }

  #find(id: Json | undefined): Subscription | undefined {
    if (id === undefined) return undefined;
    for (const subscription of this.#open) if (subscription.id === id) return subscription;
    return undefined;
  }
}

class Subscription {
  readonly #options: SubscriptionOptions;
  #request: OutgoingRequest | undefined;
  #losses = 0;
  #stopped = false;
  #cancelRetry: (() => void) | undefined;
  readonly #established = new Deferred();

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    const { server, clock } = options;
    const timeout = new HostError("REQUEST_TIMEOUT", { server, method: METHOD, afterMs: ACKNOWLEDGE_MS });
    const cancelTimeout = clock.after(ACKNOWLEDGE_MS, () => this.#established.reject(timeout));
    this.#established.promise.catch(() => {}).finally(cancelTimeout);
    void this.#open();
  }

  get established(): Promise<void> {
    return this.#established.promise;
  }

  onAcknowledged(): void {
    this.#established.resolve();
  }

  get id(): RequestId | undefined {
    return this.#request?.id;
  }

  emit(change: Change): void {
    const { filter, onChange } = this.#options;
    if (!this.#stopped && matchesFilter(change, filter)) onChange(change);
  }

  /** Called when the server ends the subscription by a notification: a multiplexed transport has no stream to close. */
  onEndedByServer(): void {
    this.#request?.cancel("ended by the server");
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#established.reject(cancelled("the subscription was stopped"));
    this.#request?.cancel("no longer listening");
  }

  async #open(): Promise<void> {
    const { server, peer, envelope, clock, filter } = this.#options;
    const openedAt = steadyNow(clock);
    const request = peer.request(
      METHOD,
      () => ({ notifications: toWireFilter(filter), _meta: requestMeta(envelope, NO_CAPABILITIES) }),
      {
        headers: requestHeaders(envelope.version, METHOD),
        sendCancelled: peer.transport.multiplexed,
      },
    );
    this.#request = request;
    try {
      const response = await request.response;
      // A server that rejects the subscription would reject it again.
      if (!response.ok) return this.#fail(requestFailed(server, METHOD, response.error));
    } catch (error) {
      if (error instanceof HostError && isAuthError(error)) return this.#fail(error);
      // The stream was lost. It is reopened, unless the whole session has ended.
    }
    if (this.#stopped || peer.closed) return;
    this.#losses = steadyNow(clock) - openedAt >= STABLE_MS ? 1 : this.#losses + 1;
    this.#cancelRetry = clock.after(backoff(this.#losses, this.#options.random()), () => this.#reopen());
  }

  #fail(error: HostError): void {
    this.#established.reject(error);
    this.stop();
  }

  #reopen(): void {
    void this.#open();
    const { filter } = this.#options;
    for (const type of ["tools", "resources", "prompts"] as const) this.emit({ type });
    for (const uri of filter.uris ?? []) this.emit({ type: "resource", uri });
  }
}

function toWireFilter({ tools, resources, prompts, uris, tasks }: ChangeFilter): JsonObject {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(uris && uris.length > 0 && { resourceSubscriptions: [...uris] }),
    ...(tasks && tasks.length > 0 && { taskIds: [...tasks] }),
  };
}
