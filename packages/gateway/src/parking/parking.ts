/**
 * Calls to servers that wait, with the call open, for an answer which comes with
 * another request of the front. Bounded; a call that nobody comes back for is
 * given up and never executed again.
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
    const cancelExpiry = this.#clock.after(ttlMs, () => this.#take(id)?.abandon("nobody answered in time"));
    this.#parked.set(id, { suspended, caller: caller.id, cancelExpiry });
    return id;
  }

  /** Once. If the server has finished or died meanwhile, resuming what comes out tells so. */
  take(id: string): Suspended {
    const suspended = this.#take(id);
    if (!suspended) throw new HostError("STATE_REFUSED", { reason: "the call it was given for has been given up" });
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
