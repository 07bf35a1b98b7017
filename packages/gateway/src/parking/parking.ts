/**
 * Holds parked calls: open calls to legacy servers that wait for the answer to a question. The answer comes with a
 * later request of a modern client. The number of parked calls is limited, per client and in total. At the total limit,
 * the principal with most calls loses its oldest one, except the owner. A call without an answer is cancelled when its
 * time is over, and never repeated.
 */
import { randomUUID } from "node:crypto";
import { findEntryToGive, HostError, OWNER, principalIdOf } from "@plugboard/contracts";
import type { Caller, Clock } from "@plugboard/contracts";
import type { Suspended } from "@plugboard/mcp";

export interface ParkingLimits {
  /** The most parked calls of one session. All modern HTTP clients with the same token share a session. */
  readonly perFront: number;
  readonly total: number;
  /** How long a call waits for its answer. */
  readonly ttlMs: number;
}

interface ParkedCall {
  readonly id: string;
  readonly suspended: Suspended;
  readonly caller: Caller;
  readonly cancelExpiry: () => void;
}

export class Parking {
  readonly #clock: Clock;
  readonly #limits: ParkingLimits;
  readonly #parked = new Map<string, ParkedCall>();

  constructor(clock: Clock, limits: ParkingLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns the id with which `take` finds the call. Throws TOO_MANY_PARKED. */
  park(suspended: Suspended, caller: Caller): string {
    const { perFront, total, ttlMs } = this.#limits;
    const ownCalls = [...this.#parked.values()].filter((parked) => parked.caller.id === caller.id);
    if (ownCalls.length >= perFront) throw new HostError("TOO_MANY_PARKED", { limit: perFront, scope: "this client" });
    if (this.#parked.size >= total) this.#makeRoom(caller);
    const id = randomUUID();
    const cancelExpiry = this.#clock.after(ttlMs, () => this.#remove(id)?.abandon("no answer came in time"));
    this.#parked.set(id, { id, suspended, caller, cancelExpiry });
    return id;
  }

  /** Removes and returns a parked call. Throws STATE_REFUSED if it was cancelled. */
  take(id: string): Suspended {
    const suspended = this.#remove(id);
    if (!suspended)
      throw new HostError("STATE_REFUSED", {
        reason: "its call was cancelled, because its time was over or another client needed its place",
      });
    return suspended;
  }

  forgetPrincipal(principal: string): void {
    for (const [id, { caller }] of this.#parked) {
      if (caller.principal?.id === principal) this.#remove(id)?.abandon("the token of its client was revoked");
    }
  }

  close(): void {
    for (const id of [...this.#parked.keys()]) this.#remove(id)?.abandon("the host is closing");
  }

  /** Throws TOO_MANY_PARKED if no other principal has more calls. The owner may exceed the limit. */
  #makeRoom(caller: Caller): void {
    const principal = principalIdOf(caller);
    const evicted = findEntryToGive(this.#parked.values(), principal, {
      principalOf: (parked) => principalIdOf(parked.caller),
    });
    if (evicted)
      this.#remove(evicted.id)?.abandon("another client needed its place, and its client had the most waiting calls");
    else if (principal !== OWNER.id) {
      throw new HostError("TOO_MANY_PARKED", { limit: this.#limits.total, scope: "all clients" });
    }
  }

  #remove(id: string): Suspended | undefined {
    const parked = this.#parked.get(id);
    this.#parked.delete(id);
    parked?.cancelExpiry();
    return parked?.suspended;
  }
}
