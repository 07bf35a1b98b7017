/**
 * Queues calls on a connection. If a server asks questions without naming the call, only one caller's calls run at a
 * time, so that the owner of each question is known. Callers that wait for more than two seconds start beside the running
 * calls, and a question in that time has no known owner. And no client gets more than its fair share of
 * a server. Principals get turns one after another, however many clients they have. So no client locks the others out.
 */
import { cancelled, HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { CancelSignal, Clock } from "@plugboard/mcp";
import { steadyNow } from "@plugboard/mcp/clock";
import { compareTurns, FairShare } from "./fair-share.ts";
import type { ClientLoad } from "./fair-share.ts";

export interface QueueRequest {
  readonly server: string;
  readonly caller: Caller;
  /** Identifies the client that the caller belongs to. By default the caller. */
  readonly client?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal | undefined;
}

/** The connection to a server. */
export interface SharedConnection {
  /** Whether callers must take turns. Read again whenever a call ends. */
  readonly oneCallerAtATime: boolean;
}

/** The place of one running call. */
export interface Turn {
  /** How long the call waited for its turn. */
  readonly waitedMs: number;
  /** Ends the turn. Later calls have no effect. */
  release(): void;
  /** Called when the call waits for a person. Calls `giveUp` if another caller has to wait for this turn too long. */
  suspend(giveUp: () => void): void;
  /** Called when the call goes on. */
  resume(): void;
}

interface Waiter {
  readonly caller: string;
  readonly load: ClientLoad;
  readonly since: number;
  readonly start: (turn: Turn) => void;
}

/** How long a call may wait for a person while another caller waits for its turn. Then it is given up. */
const SUSPENDED_PATIENCE_MS = 5000;
/** How long other callers wait for a running call. Then they start beside it. */
const RUNNING_PATIENCE_MS = 2000;
/** Limits the memory for waiting calls of one client. */
const MAX_WAITING = 1024;

export class CallerQueue {
  readonly #clock: Clock;
  readonly #queues = new WeakMap<object, ConnectionQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the call's turn. Returns a promise of it only if the call has to wait (bench row `host-cpu-64`). */
  acquire(connection: SharedConnection, request: QueueRequest): Turn | Promise<Turn> {
    let queue = this.#queues.get(connection);
    if (!queue) this.#queues.set(connection, (queue = new ConnectionQueue(connection, this.#clock)));
    return queue.acquire(request);
  }
}

class ConnectionQueue {
  readonly clock: Clock;
  readonly #shares = new FairShare();
  readonly #connection: SharedConnection;
  /** The calls that other callers wait for. Calls that have overstayed their turn are not among them. */
  readonly #running = new Set<QueueTurn>();
  /** The caller of one of these calls, and the number of those of other callers. */
  #runningCaller = "";
  #others = 0;
  /** In order of arrival. */
  readonly #waiting: Waiter[] = [];
  readonly #suspended = new Set<QueueTurn>();
  /** Runs while a caller waits for the turn of another one. */
  #stopTimer: (() => void) | undefined;

  constructor(connection: SharedConnection, clock: Clock) {
    this.#connection = connection;
    this.clock = clock;
  }

  acquire(request: QueueRequest): Turn | Promise<Turn> {
    const { caller, client } = request;
    const load = this.#shares.loadOf(caller, client);
    const isFree = !this.#mustTakeTurns || (this.#waiting.length === 0 && this.#isTurnOf(caller.id));
    if (isFree && load.waiting === 0 && this.#shares.hasRoom(load)) return this.#start(caller.id, load);
    return this.#wait(request, load);
  }

  get #mustTakeTurns(): boolean {
    return this.#connection.oneCallerAtATime;
  }

  /** Whether a caller that takes turns waits for the turn of another one. */
  get #isAwaited(): boolean {
    return (
      this.#waiting.length > 0 && this.#mustTakeTurns && this.#waiting.some(({ caller }) => !this.#isTurnOf(caller))
    );
  }

  suspend(turn: QueueTurn): void {
    this.#suspended.add(turn);
    // Other callers wait again for a call that had overstayed its turn. Their own questions need a known owner.
    this.#enter(turn);
    turn.updatePatience(this.#isAwaited);
  }

  resume(turn: QueueTurn): void {
    this.#suspended.delete(turn);
    this.#restartTimer();
  }

  release(turn: QueueTurn): void {
    if (this.#suspended.size > 0) this.#suspended.delete(turn);
    this.#leave(turn);
    this.#shares.end(turn.load);
    if (this.#waiting.length > 0) this.#admit();
  }

  #enter(turn: QueueTurn): void {
    if (this.#running.has(turn)) return;
    if (this.#running.size === 0) this.#runningCaller = turn.caller;
    else if (turn.caller !== this.#runningCaller) this.#others += 1;
    this.#running.add(turn);
  }

  #leave(turn: QueueTurn): void {
    // The turn of a call that has overstayed it was over before.
    if (!this.#running.delete(turn)) return;
    if (turn.caller !== this.#runningCaller) this.#others -= 1;
    else if (this.#others > 0 && this.#others === this.#running.size) this.#countOthers();
    this.#shares.markServed(turn.load);
    // The next caller gets the whole time.
    if (this.#running.size === 0) this.#cancelTimer();
  }

  /** Called when the last call of `#runningCaller` has ended. */
  #countOthers(): void {
    const [first, ...rest] = this.#running;
    this.#runningCaller = first!.caller;
    this.#others = rest.filter(({ caller }) => caller !== first!.caller).length;
  }

  #isTurnOf(caller: string): boolean {
    return this.#running.size === 0 || (this.#others === 0 && this.#runningCaller === caller);
  }

  #start(caller: string, load: ClientLoad, waitedMs = 0): QueueTurn {
    const turn = new QueueTurn(this, caller, load, waitedMs);
    this.#enter(turn);
    this.#shares.start(load);
    return turn;
  }

  #wait({ server, caller, timeoutMs, signal }: QueueRequest, load: ClientLoad): Promise<Turn> {
    const tooMany = () =>
      new HostError("TOO_MANY_CALLS", { server, limit: this.#shares.limitOf(load), byCaller: true });
    if (load.waiting >= MAX_WAITING) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        load.waiting -= 1;
      };
      const fail = (error: HostError) => {
        stopWaiting();
        this.#shares.releaseIfIdle(load);
        reject(error);
        this.#admit();
      };
      const start = (turn: Turn) => {
        stopWaiting();
        resolve(turn);
      };
      const waiter: Waiter = { caller: caller.id, load, since: steadyNow(this.clock), start };
      const onAbort = () => fail(cancelled());
      const busy = () => new HostError("SERVER_BUSY", { server, afterMs: timeoutMs });
      const stopTimer = this.clock.after(timeoutMs, () => fail(this.#shares.hasRoom(load) ? busy() : tooMany()));
      load.waiting += 1;
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) return onAbort();
      this.#updatePatience();
    });
  }

  /** Starts waiting calls until none may start. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.start(this.#start(next.caller, next.load, steadyNow(this.clock) - next.since));
    }
    this.#updatePatience();
  }

  /**
   * Returns the next call to start. It belongs to the principal that has waited longest since its last turn, and to the
   * client of this principal that has waited longest.
   */
  #next(): Waiter | undefined {
    const seen = new Set<ClientLoad>();
    let best: Waiter | undefined;
    const isAwaited = this.#isAwaited;
    for (const waiter of this.#waiting) {
      if (seen.has(waiter.load)) continue;
      seen.add(waiter.load);
      // A call does not join the running calls of its caller while another caller waits for the turn.
      const mayRun = !this.#mustTakeTurns || this.#running.size === 0 || (!isAwaited && this.#isTurnOf(waiter.caller));
      if (!mayRun || !this.#shares.hasRoom(waiter.load)) continue;
      if (!best || compareTurns(waiter.load, best.load) < 0) best = waiter;
    }
    return best;
  }

  #updatePatience(): void {
    const isAwaited = this.#isAwaited;
    if (isAwaited) this.#stopTimer ??= this.clock.after(RUNNING_PATIENCE_MS, () => this.#passTurn());
    else this.#cancelTimer();
    for (const turn of this.#suspended) turn.updatePatience(isAwaited);
  }

  /** Lets other callers start beside the running calls. They go on waiting for calls that wait for a person. */
  #passTurn(): void {
    this.#cancelTimer();
    for (const turn of [...this.#running]) if (!this.#suspended.has(turn)) this.#leave(turn);
    this.#admit();
  }

  #restartTimer(): void {
    this.#cancelTimer();
    this.#updatePatience();
  }

  #cancelTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

class QueueTurn implements Turn {
  readonly caller: string;
  readonly load: ClientLoad;
  readonly waitedMs: number;

  readonly #queue: ConnectionQueue;
  #released = false;
  #giveUp: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(queue: ConnectionQueue, caller: string, load: ClientLoad, waitedMs: number) {
    this.#queue = queue;
    this.caller = caller;
    this.load = load;
    this.waitedMs = waitedMs;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#stopTimer?.();
    this.#queue.release(this);
  }

  suspend(giveUp: () => void): void {
    if (this.#released) return;
    this.#giveUp = giveUp;
    this.#queue.suspend(this);
  }

  resume(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#queue.resume(this);
  }

  /** Called when the call was suspended, and when calls begin or cease to wait. */
  updatePatience(isAwaited: boolean): void {
    if (isAwaited) {
      this.#stopTimer ??= this.#queue.clock.after(SUSPENDED_PATIENCE_MS, () => this.#giveUp?.());
    } else {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    }
  }
}
