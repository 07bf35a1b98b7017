/**
 * Whose turn it is on a connection. A server that asks without naming the call
 * gets the calls of different callers one after another, so that it is always
 * clear whose question it is. Other servers are not held up.
 */
import { cancelled, HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";

export interface QueueRequest {
  readonly server: string;
  readonly caller: Caller;
  /** Whether this connection must be taken turns on; asked again whenever a call ends. */
  readonly isRequired: () => boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface ConnectionQueue {
  /** Calls in flight, by caller. */
  readonly running: Map<string, number>;
  readonly waiting: { readonly caller: string; readonly isRequired: () => boolean; readonly go: () => void }[];
}

export class CallerQueue {
  readonly #clock: Clock;
  readonly #queues = new WeakMap<object, ConnectionQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At once, or a promise where it has to be waited for; the function ends the turn, once. */
  acquire(connection: object, request: QueueRequest): (() => void) | Promise<() => void> {
    const lane = this.#queueOf(connection);
    const { id } = request.caller;
    if (request.isRequired() && (lane.waiting.length > 0 || !canRun(lane, id))) {
      return this.#wait(lane, request).then(() => releaseOnce(lane, id));
    }
    addRunning(lane, id);
    return releaseOnce(lane, id);
  }

  #queueOf(connection: object): ConnectionQueue {
    let lane = this.#queues.get(connection);
    if (!lane) this.#queues.set(connection, (lane = { running: new Map(), waiting: [] }));
    return lane;
  }

  #wait(lane: ConnectionQueue, { server, caller, isRequired, timeoutMs, signal }: QueueRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
        const at = lane.waiting.indexOf(waiter);
        if (at >= 0) lane.waiting.splice(at, 1);
        then();
        admitNext(lane);
      };
      const waiter = { caller: caller.id, isRequired, go: () => settle(resolve) };
      const onAbort = () => settle(() => reject(cancelled()));
      const busy = new HostError("SERVER_BUSY", { server, afterMs: timeoutMs });
      const stopTimer = this.#clock.after(timeoutMs, () => settle(() => reject(busy)));
      lane.waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
  }
}

function canRun({ running }: ConnectionQueue, caller: string): boolean {
  return running.size === 0 || (running.size === 1 && running.has(caller));
}

function releaseOnce(lane: ConnectionQueue, caller: string): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    removeRunning(lane, caller);
  };
}

function addRunning({ running }: ConnectionQueue, caller: string): void {
  running.set(caller, (running.get(caller) ?? 0) + 1);
}

function removeRunning(lane: ConnectionQueue, caller: string): void {
  const left = (lane.running.get(caller) ?? 1) - 1;
  if (left > 0) lane.running.set(caller, left);
  else lane.running.delete(caller);
  admitNext(lane);
}

/** Whoever is first in line goes, as long as nothing stands in the way. */
function admitNext(lane: ConnectionQueue): void {
  for (let next = lane.waiting[0]; next && (canRun(lane, next.caller) || !next.isRequired()); next = lane.waiting[0]) {
    addRunning(lane, next.caller);
    next.go();
  }
}
