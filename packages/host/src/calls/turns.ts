/**
 * Whose turn it is on a connection. A server that asks without naming the call
 * gets the calls of different callers one after another, so that it is always
 * clear whose question it is. Other servers are not held up.
 */
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";

export interface TurnRequest {
  readonly server: string;
  readonly caller: Caller;
  /** Whether this connection must be taken turns on; asked again whenever a call ends. */
  readonly needed: () => boolean;
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Lane {
  /** Calls in flight, by caller. */
  readonly running: Map<string, number>;
  readonly waiting: { readonly caller: string; readonly needed: () => boolean; readonly go: () => void }[];
}

export class Turns {
  readonly #clock: Clock;
  readonly #lanes = new WeakMap<object, Lane>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At once, or a promise where it has to be waited for; the function ends the turn, once. */
  take(connection: object, request: TurnRequest): (() => void) | Promise<() => void> {
    const lane = this.#laneOf(connection);
    const { id } = request.caller;
    if (request.needed() && (lane.waiting.length > 0 || !free(lane, id))) {
      return this.#wait(lane, request).then(() => ending(lane, id));
    }
    enter(lane, id);
    return ending(lane, id);
  }

  #laneOf(connection: object): Lane {
    let lane = this.#lanes.get(connection);
    if (!lane) this.#lanes.set(connection, (lane = { running: new Map(), waiting: [] }));
    return lane;
  }

  #wait(lane: Lane, { server, caller, needed, patienceMs, signal }: TurnRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        stopPatience();
        signal?.removeEventListener("abort", giveUp);
        const at = lane.waiting.indexOf(waiter);
        if (at >= 0) lane.waiting.splice(at, 1);
        then();
        admit(lane);
      };
      const waiter = { caller: caller.id, needed, go: () => settle(resolve) };
      const giveUp = () => settle(() => reject(new HostError("CANCELLED", { reason: "the caller gave up" })));
      const busy = new HostError("SERVER_BUSY", { server, afterMs: patienceMs });
      const stopPatience = this.#clock.after(patienceMs, () => settle(() => reject(busy)));
      lane.waiting.push(waiter);
      signal?.addEventListener("abort", giveUp, { once: true });
      if (signal?.aborted) giveUp();
    });
  }
}

function free({ running }: Lane, caller: string): boolean {
  return running.size === 0 || (running.size === 1 && running.has(caller));
}

function ending(lane: Lane, caller: string): () => void {
  let over = false;
  return () => {
    if (over) return;
    over = true;
    leave(lane, caller);
  };
}

function enter({ running }: Lane, caller: string): void {
  running.set(caller, (running.get(caller) ?? 0) + 1);
}

function leave(lane: Lane, caller: string): void {
  const left = (lane.running.get(caller) ?? 1) - 1;
  if (left > 0) lane.running.set(caller, left);
  else lane.running.delete(caller);
  admit(lane);
}

/** Whoever is first in line goes, as long as nothing stands in the way. */
function admit(lane: Lane): void {
  for (let next = lane.waiting[0]; next && (free(lane, next.caller) || !next.needed()); next = lane.waiting[0]) {
    enter(lane, next.caller);
    next.go();
  }
}
