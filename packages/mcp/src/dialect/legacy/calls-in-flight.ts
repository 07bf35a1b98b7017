/** The calls on a legacy session: those in flight, and those given up that the server may still be at. */
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RequestId } from "../../wire/message.ts";
import { RequestTable } from "../../wire/request-table.ts";
import type { CallInFlight } from "../../session/session.ts";
import type { LegacyCall } from "./legacy-call.ts";

export class CallsInFlight {
  readonly #clock: Clock;
  readonly #calls = new RequestTable<LegacyCall>();
  /** With the time until which they count. */
  readonly #abandoned = new Map<RequestId, CallInFlight & { readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  track(call: LegacyCall): void {
    this.#calls.set(call.id, call);
  }

  /** Only the server's own answer settles a call: of one that was given up it is kept whose it was. */
  onEnded({ id, caller, ctx }: LegacyCall, answered: boolean): void {
    if (!this.#calls.delete(id) || answered) return;
    const now = steadyNow(this.#clock);
    // Where nobody asks, nobody looks: the oldest are forgotten here.
    for (const [oldest, { until }] of this.#abandoned) {
      if (until > now) break;
      this.#abandoned.delete(oldest);
    }
    this.#abandoned.set(id, { caller, op: PLACEHOLDER_OP, active: false, until: now + ctx.maxMs });
  }

  /** An answer to what was given up: the server is no longer at it. */
  onLateResponse(id: RequestId): void {
    this.#abandoned.delete(id);
  }

  get(id: RequestId): LegacyCall | undefined {
    return this.#calls.get(id);
  }

  get live(): LegacyCall[] {
    return this.#calls.values();
  }

  get all(): CallInFlight[] {
    const now = steadyNow(this.#clock);
    for (const [id, { until }] of this.#abandoned) if (until <= now) this.#abandoned.delete(id);
    return [...this.#abandoned.values(), ...this.#calls.values()];
  }

  /** The call that alone can be meant, if there is one. */
  get onlyCall(): LegacyCall | undefined {
    if (this.#calls.size !== 1 || this.all.length !== 1) return undefined;
    return this.#calls.values()[0];
  }

  clear(): void {
    this.#calls.clear();
    this.#abandoned.clear();
  }
}

/** What a call was about need not be kept with whose it was. */
const PLACEHOLDER_OP: CallInFlight["op"] = { method: "tools/call", params: { name: "", arguments: {} } };
