/** The calls on a legacy session: those in flight, and those given up that the server may still be at. */
import { steadyNow } from "../../clock.ts";
import type { Clock } from "../../clock.ts";
import type { RequestId } from "../../wire/message.ts";
import { Slots } from "../../wire/slots.ts";
import type { InFlight } from "../session.ts";
import type { LegacyCall } from "./call.ts";

export class CallsInFlight {
  readonly #clock: Clock;
  readonly #calls = new Slots<LegacyCall>();
  /** With the time until which they count. */
  readonly #givenUp = new Map<RequestId, InFlight & { readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  track(call: LegacyCall): void {
    this.#calls.set(call.id, call);
  }

  /** Only the server's own answer settles a call: of one that was given up it is kept whose it was. */
  ended({ id, caller, ctx }: LegacyCall, answered: boolean): void {
    if (!this.#calls.delete(id) || answered) return;
    const now = steadyNow(this.#clock);
    // Where nobody asks, nobody looks: the oldest are forgotten here.
    for (const [oldest, { until }] of this.#givenUp) {
      if (until > now) break;
      this.#givenUp.delete(oldest);
    }
    this.#givenUp.set(id, { caller, op: NOTHING, live: false, until: now + ctx.maxMs });
  }

  /** An answer to what was given up: the server is no longer at it. */
  late(id: RequestId): void {
    this.#givenUp.delete(id);
  }

  get(id: RequestId): LegacyCall | undefined {
    return this.#calls.get(id);
  }

  get live(): LegacyCall[] {
    return this.#calls.values();
  }

  get all(): InFlight[] {
    const now = steadyNow(this.#clock);
    for (const [id, { until }] of this.#givenUp) if (until <= now) this.#givenUp.delete(id);
    return [...this.#givenUp.values(), ...this.#calls.values()];
  }

  /** The call that alone can be meant, if there is one. */
  get only(): LegacyCall | undefined {
    if (this.#calls.size !== 1 || this.all.length !== 1) return undefined;
    return this.#calls.values()[0];
  }

  clear(): void {
    this.#calls.clear();
    this.#givenUp.clear();
  }
}

/** What a call was about need not be kept with whose it was. */
const NOTHING: InFlight["op"] = { method: "tools/call", params: { name: "", arguments: {} } };
