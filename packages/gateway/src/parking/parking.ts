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
  readonly inAll: number;
  readonly lifeMs: number;
}

interface Parked {
  readonly asked: Suspended;
  readonly caller: string;
  readonly stopExpiry: () => void;
}

export class Parking {
  readonly #clock: Clock;
  readonly #limits: ParkingLimits;
  readonly #parked = new Map<string, Parked>();

  constructor(clock: Clock, limits: ParkingLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  park(asked: Suspended, caller: Caller): string {
    const { perFront, inAll, lifeMs } = this.#limits;
    const own = [...this.#parked.values()].filter((parked) => parked.caller === caller.id);
    if (own.length >= perFront) throw new HostError("TOO_MANY_PARKED", { limit: perFront, whose: "this client" });
    if (this.#parked.size >= inAll) throw new HostError("TOO_MANY_PARKED", { limit: inAll, whose: "all clients" });
    const id = randomUUID();
    const stopExpiry = this.#clock.after(lifeMs, () => this.#take(id)?.abandon("nobody answered in time"));
    this.#parked.set(id, { asked, caller: caller.id, stopExpiry });
    return id;
  }

  /** Once. If the server has finished or died meanwhile, resuming what comes out tells so. */
  take(id: string): Suspended {
    const asked = this.#take(id);
    if (!asked) throw new HostError("STATE_REFUSED", { what: "the call it was given for has been given up" });
    return asked;
  }

  close(): void {
    for (const id of [...this.#parked.keys()]) this.#take(id)?.abandon("the host is closing");
  }

  #take(id: string): Suspended | undefined {
    const parked = this.#parked.get(id);
    this.#parked.delete(id);
    parked?.stopExpiry();
    return parked?.asked;
  }
}
