/** The calls of a legacy session: pending calls, and cancelled calls that the server may still work on. */
import { Listeners, principalIdOf, steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { RequestId } from "../../wire/message.ts";
import { RequestTable } from "../../wire/request-table.ts";
import type { CallInFlight } from "../../session/session.ts";
import type { LegacyCall } from "./legacy-call.ts";

/** How long the server may still ask something for a call after it was sent the cancellation. */
const CANCELLED_MS = 3000;

interface TrackedCall extends CallInFlight {
  readonly id: number;
}

export class CallsInFlight {
  readonly #clock: Clock;
  readonly #pending = new RequestTable<LegacyCall>();
  readonly #listeners = new Listeners();
  /** The cancelled calls. Each is forgotten at its `expiresAt`, because most servers never answer a cancelled call. */
  readonly #cancelled = new Map<RequestId, TrackedCall & { readonly expiresAt: number }>();

  /** The caller of the call that ended last. */
  #lastCaller: CallInFlight["caller"] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  track(call: LegacyCall): void {
    this.#pending.set(call.id, call);
  }

  /** Remembers the caller of a call that ended without a response, because the server may still work on it. */
  onEnded(call: LegacyCall, { answered }: { readonly answered: boolean }): void {
    if (!this.#pending.delete(call.id)) return;
    this.#lastCaller = call.caller;
    if (!answered) this.#rememberCancelled(call);
    if (!this.#listeners.isEmpty) this.#listeners.emit();
  }

  /** Forgets a cancelled call, because the server has answered it. */
  onLateResponse(id: RequestId): void {
    if (this.#cancelled.delete(id)) this.#listeners.emit();
  }

  /** Calls the listener when a call has ended, or when the server has answered a cancelled call. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  get(id: RequestId): LegacyCall | undefined {
    return this.#pending.get(id);
  }

  get pending(): LegacyCall[] {
    return this.#pending.values();
  }

  /** The pending calls, and the cancelled calls that have not expired. */
  get pendingOrCancelled(): TrackedCall[] {
    const now = steadyNow(this.#clock);
    for (const [id, { expiresAt }] of this.#cancelled) if (expiresAt <= now) this.#cancelled.delete(id);
    return [...this.#cancelled.values(), ...this.#pending.values()];
  }

  /** The id of the last call that the server may work on. */
  get newestId(): number {
    return this.pendingOrCancelled.reduce((newest, { id }) => Math.max(newest, id), 0);
  }

  /** Returns the pending and the cancelled calls that the server got before the given one, and that one. */
  sentUntil(newestId: number): CallInFlight[] {
    return this.pendingOrCancelled.filter(({ id }) => id <= newestId);
  }

  /**
   * The principal that gets log entries without a call: the common principal of all calls that the server may work on,
   * or, if there are none, that of the last call. `principal` is undefined before the first call: everyone gets the
   * entry. `unknown`: these calls have several principals, so nobody gets it.
   */
  get logAudience(): { readonly principal: string | undefined } | "unknown" {
    const [first, ...others] = this.pendingOrCancelled;
    const caller = first?.caller ?? this.#lastCaller;
    const principal = caller && principalIdOf(caller);
    return others.every((other) => principalIdOf(other.caller) === principal) ? { principal } : "unknown";
  }

  /** The time until the next cancelled call is forgotten. Undefined if there is none. */
  get nextExpiryMs(): number | undefined {
    const [oldest] = this.#cancelled.values();
    return oldest && Math.max(0, oldest.expiresAt - steadyNow(this.#clock));
  }

  /** Returns the call if the server can work on no other one. */
  get onlyCall(): LegacyCall | undefined {
    if (this.#pending.size !== 1 || this.pendingOrCancelled.length !== 1) return undefined;
    return this.#pending.values()[0];
  }

  clear(): void {
    this.#pending.clear();
    this.#cancelled.clear();
  }

  #rememberCancelled({ id, caller, client, mayAsk }: LegacyCall): void {
    const now = steadyNow(this.#clock);
    // Removes expired calls here too, because `pendingOrCancelled` is not read if the server asks no questions.
    for (const [oldest, { expiresAt }] of this.#cancelled) {
      if (expiresAt > now) break;
      this.#cancelled.delete(oldest);
    }
    const expiresAt = now + CANCELLED_MS;
    this.#cancelled.set(id, { id, caller, client, mayAsk, op: PLACEHOLDER_OP, active: false, expiresAt });
  }
}

/** Stands in for the request of a cancelled call, whose arguments are not kept in memory. */
const PLACEHOLDER_OP: CallInFlight["op"] = { method: "tools/call", params: { name: "", arguments: {} } };
