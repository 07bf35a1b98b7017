/**
 * One `subscriptions/listen`: a long request on which the server tells of
 * changes. A stream that is lost, or that the server ends, is opened again after
 * a growing pause; what may have been missed meanwhile is told as changed.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import { backoff } from "../../lib/backoff.ts";
import { isAuthError } from "../../wire/is-auth-error.ts";
import type { OutgoingRequest } from "../../wire/outgoing-request.ts";
import type { RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import { matchesFilter } from "../../session/change-notification.ts";
import type { Change, ChangeFilter } from "../../session/session.ts";
import { NO_CAPABILITIES, requestHeaders, requestMeta } from "./request-meta.ts";
import type { Envelope } from "./request-meta.ts";

export interface SubscriptionOptions {
  readonly peer: Peer;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly random: () => number;
  readonly filter: ChangeFilter;
  readonly onChange: (change: Change) => void;
}

const METHOD = "subscriptions/listen";
/** A stream that lasted this long was a good one. */
const STABLE_MS = 60_000;

export class Subscription {
  readonly #options: SubscriptionOptions;
  #request: OutgoingRequest | undefined;
  #losses = 0;
  #stopped = false;
  #cancelRetry: (() => void) | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    void this.#open();
  }

  get id(): RequestId | undefined {
    return this.#request?.id;
  }

  emit(change: Change): void {
    const { filter, onChange } = this.#options;
    if (!this.#stopped && matchesFilter(change, filter)) onChange(change);
  }

  /** The server ends it by saying so, where there is no stream to close. */
  endedByServer(): void {
    this.#request?.cancel("ended by the server");
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#request?.cancel("no longer listening");
  }

  async #open(): Promise<void> {
    const { peer, envelope, clock, filter } = this.#options;
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
      // A server that refuses will do so again.
      if (!response.ok) return this.stop();
    } catch (error) {
      if (error instanceof HostError && isAuthError(error)) return this.stop();
      // Lost; why does not matter, unless the whole conversation is over.
    }
    if (this.#stopped || peer.closed) return;
    this.#losses = steadyNow(clock) - openedAt >= STABLE_MS ? 1 : this.#losses + 1;
    this.#cancelRetry = clock.after(backoff(this.#losses, this.#options.random()), () => this.#reopen());
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
