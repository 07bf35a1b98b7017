/**
 * Queues calls on a connection by caller. If a server asks questions without naming the call, only one caller's calls
 * run at a time, so that the owner of each question is known. Servers that name the call need no queue.
 */
import { cancelled, HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";

export interface QueueRequest {
  readonly server: string;
  readonly caller: Caller;
  /** Returns whether callers must take turns on this connection. Called again whenever a call ends. */
  readonly mustTakeTurns: () => boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface ConnectionQueue {
  /** The number of running calls, by caller id. */
  readonly running: Map<string, number>;
  readonly waiting: { readonly caller: string; readonly mustTakeTurns: () => boolean; readonly start: () => void }[];
}

export class CallerQueue {
  readonly #clock: Clock;
  readonly #queues = new WeakMap<object, ConnectionQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the function that ends the call's turn. Returns a promise of it if the call has to wait. */
  acquire(connection: object, request: QueueRequest): (() => void) | Promise<() => void> {
    const queue = this.#queueOf(connection);
    const { id } = request.caller;
    if (request.mustTakeTurns() && (queue.waiting.length > 0 || !canRun(queue, id))) {
      return this.#wait(queue, request).then(() => releaseOnce(queue, id));
    }
    addRunning(queue, id);
    return releaseOnce(queue, id);
  }

  #queueOf(connection: object): ConnectionQueue {
    let queue = this.#queues.get(connection);
    if (!queue) this.#queues.set(connection, (queue = { running: new Map(), waiting: [] }));
    return queue;
  }

  #wait(queue: ConnectionQueue, { server, caller, mustTakeTurns, timeoutMs, signal }: QueueRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
        const index = queue.waiting.indexOf(waiter);
        if (index >= 0) queue.waiting.splice(index, 1);
        then();
        admitNext(queue);
      };
      const waiter = { caller: caller.id, mustTakeTurns, start: () => settle(resolve) };
      const onAbort = () => settle(() => reject(cancelled()));
      const busy = new HostError("SERVER_BUSY", { server, afterMs: timeoutMs });
      const stopTimer = this.#clock.after(timeoutMs, () => settle(() => reject(busy)));
      queue.waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
  }
}

function canRun({ running }: ConnectionQueue, caller: string): boolean {
  return running.size === 0 || (running.size === 1 && running.has(caller));
}

function releaseOnce(queue: ConnectionQueue, caller: string): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    removeRunning(queue, caller);
  };
}

function addRunning({ running }: ConnectionQueue, caller: string): void {
  running.set(caller, (running.get(caller) ?? 0) + 1);
}

function removeRunning(queue: ConnectionQueue, caller: string): void {
  const left = (queue.running.get(caller) ?? 1) - 1;
  if (left > 0) queue.running.set(caller, left);
  else queue.running.delete(caller);
  admitNext(queue);
}

/** Starts the next waiting calls, in order, until one has to wait. */
function admitNext(queue: ConnectionQueue): void {
  for (;;) {
    const next = queue.waiting[0];
    if (!next || (next.mustTakeTurns() && !canRun(queue, next.caller))) return;
    addRunning(queue, next.caller);
    // Removes the call from the queue.
    next.start();
  }
}
