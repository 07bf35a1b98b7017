/**
 * Holds parked calls: open calls to legacy servers that wait for an answer, which
 * comes with a later request of a modern client. Their number is limited. A call
 * without an answer is cancelled when it expires, and never repeated.
 */
import { randomUUID } from "node:crypto";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Clock, Suspended } from "@plugboard/mcp";

export interface ParkingLimits {
  readonly perFront: number;
  readonly total: number;
  readonly ttlMs: number;
}

interface ParkedCall {
  readonly suspended: Suspended;
  readonly caller: string;
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

  park(suspended: Suspended, caller: Caller): string {
    const { perFront, total, ttlMs } = this.#limits;
    const own = [...this.#parked.values()].filter((parked) => parked.caller === caller.id);
    if (own.length >= perFront) throw new HostError("TOO_MANY_PARKED", { limit: perFront, scope: "this client" });
    if (this.#parked.size >= total) throw new HostError("TOO_MANY_PARKED", { limit: total, scope: "all clients" });
    const id = randomUUID();
    const cancelExpiry = this.#clock.after(ttlMs, () => this.#take(id)?.abandon("no answer came in time"));
    this.#parked.set(id, { suspended, caller: caller.id, cancelExpiry });
    return id;
  }

  /** Removes and returns a parked call. Throws STATE_REFUSED if it was cancelled. */
  take(id: string): Suspended {
    const suspended = this.#take(id);
    if (!suspended) throw new HostError("STATE_REFUSED", { reason: "its call was cancelled" });
    return suspended;
  }

  close(): void {
    for (const id of [...this.#parked.keys()]) this.#take(id)?.abandon("the host is closing");
  }

  #take(id: string): Suspended | undefined {
    const parked = this.#parked.get(id);
    this.#parked.delete(id);
    parked?.cancelExpiry();
    return parked?.suspended;
  }
}
