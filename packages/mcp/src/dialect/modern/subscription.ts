/**
 * One `subscriptions/listen`: a long request on which the server tells of
 * changes. A stream that is lost, or that the server ends, is opened again after
 * a growing pause; what may have been missed meanwhile is told as changed.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { steadyNow } from "../../clock.ts";
import type { Clock } from "../../clock.ts";
import { backoff } from "../../backoff.ts";
import { isAboutLogin } from "../../wire/about-login.ts";
import type { Exchange } from "../../wire/exchange.ts";
import type { RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import { isWanted } from "../change.ts";
import type { Change, Filter } from "../session.ts";
import { NOBODY, requestHeaders, requestMeta } from "./envelope.ts";
import type { Envelope } from "./envelope.ts";

export interface SubscriptionOptions {
  readonly peer: Peer;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly random: () => number;
  readonly want: Filter;
  readonly on: (change: Change) => void;
}

const METHOD = "subscriptions/listen";
/** A stream that lasted this long was a good one. */
const SETTLED_MS = 60_000;

export class Subscription {
  readonly #options: SubscriptionOptions;
  #exchange: Exchange | undefined;
  #losses = 0;
  #stopped = false;
  #cancelRetry: (() => void) | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    void this.#open();
  }

  get id(): RequestId | undefined {
    return this.#exchange?.id;
  }

  tell(change: Change): void {
    const { want, on } = this.#options;
    if (!this.#stopped && isWanted(change, want)) on(change);
  }

  /** The server ends it by saying so, where there is no stream to close. */
  ended(): void {
    this.#exchange?.cancel("ended by the server");
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#exchange?.cancel("no longer listening");
  }

  async #open(): Promise<void> {
    const { peer, envelope, clock, want } = this.#options;
    const openedAt = steadyNow(clock);
    const exchange = peer.request(
      METHOD,
      () => ({ notifications: wireFilter(want), _meta: requestMeta(envelope, NOBODY) }),
      {
        headers: requestHeaders(envelope.version, METHOD),
        cancelNotice: peer.transport.shared,
      },
    );
    this.#exchange = exchange;
    try {
      const reply = await exchange.reply;
      // A server that refuses will do so again.
      if (!reply.ok) return this.stop();
    } catch (error) {
      if (error instanceof HostError && isAboutLogin(error)) return this.stop();
      // Lost; why does not matter, unless the whole conversation is over.
    }
    if (this.#stopped || peer.closed) return;
    this.#losses = steadyNow(clock) - openedAt >= SETTLED_MS ? 1 : this.#losses + 1;
    this.#cancelRetry = clock.after(backoff(this.#losses, this.#options.random()), () => this.#again());
  }

  #again(): void {
    void this.#open();
    const { want } = this.#options;
    for (const type of ["tools", "resources", "prompts"] as const) this.tell({ type });
    for (const uri of want.uris ?? []) this.tell({ type: "resource", uri });
  }
}

function wireFilter({ tools, resources, prompts, uris, tasks }: Filter): JsonObject {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(uris && uris.length > 0 && { resourceSubscriptions: [...uris] }),
    ...(tasks && tasks.length > 0 && { taskIds: [...tasks] }),
  };
}
