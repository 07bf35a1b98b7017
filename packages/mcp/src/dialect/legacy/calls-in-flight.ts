/** The calls of a legacy session: those in flight, and cancelled ones that the server may still work on. */
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RequestId } from "../../wire/message.ts";
import { RequestTable } from "../../wire/request-table.ts";
import type { CallInFlight } from "../../session/session.ts";
import type { LegacyCall } from "./legacy-call.ts";

export class CallsInFlight {
  readonly #clock: Clock;
  readonly #calls = new RequestTable<LegacyCall>();
  /** Cancelled calls. Each is forgotten at its `until`. */
  readonly #cancelled = new Map<RequestId, CallInFlight & { readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  track(call: LegacyCall): void {
    this.#calls.set(call.id, call);
  }

  /** Remembers the caller of a call that ended without a response, because the server may still work on it. */
  onEnded({ id, caller, ctx }: LegacyCall, answered: boolean): void {
    if (!this.#calls.delete(id) || answered) return;
    const now = steadyNow(this.#clock);
    // Bounds the memory for servers that never ask, for which `all` is never read.
    for (const [oldest, { until }] of this.#cancelled) {
      if (until > now) break;
      this.#cancelled.delete(oldest);
    }
    this.#cancelled.set(id, { caller, op: PLACEHOLDER_OP, active: false, until: now + ctx.maxMs });
  }

  /** Forgets a cancelled call, because the server has answered it. */
  onLateResponse(id: RequestId): void {
    this.#cancelled.delete(id);
  }

  get(id: RequestId): LegacyCall | undefined {
    return this.#calls.get(id);
  }

  get live(): LegacyCall[] {
    return this.#calls.values();
  }

  get all(): CallInFlight[] {
    const now = steadyNow(this.#clock);
    for (const [id, { until }] of this.#cancelled) if (until <= now) this.#cancelled.delete(id);
    return [...this.#cancelled.values(), ...this.#calls.values()];
  }

  /** Returns the call if the server can work on no other one. */
  get onlyCall(): LegacyCall | undefined {
    if (this.#calls.size !== 1 || this.all.length !== 1) return undefined;
    return this.#calls.values()[0];
  }

  clear(): void {
    this.#calls.clear();
    this.#cancelled.clear();
  }
}

/** Stands in for the request of a cancelled call, whose arguments are not kept in memory. */
const PLACEHOLDER_OP: CallInFlight["op"] = { method: "tools/call", params: { name: "", arguments: {} } };
