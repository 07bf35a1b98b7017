/**
 * Queues the calls on a connection, by three rules:
 *
 * - Turns: if a server asks questions without naming the call, only one client's calls run at a time, so that the owner of
 *   each question is known. While it is not known how the server asks, this holds only for tools that have not run yet.
 * - Patience: a client that has waited for some seconds starts beside the running calls. A question that comes while
 *   calls of several clients run is answered when only one of them is left.
 * - Fair share: no client gets more than its part of a server, and principals get turns one after another, however many
 *   clients they have. So no client locks the others out.
 */
import { cancelled, HostError, steadyNow } from "@plugboard/contracts";
import type { Caller, CancelSignal, Clock } from "@plugboard/contracts";
import type { CallerTurns } from "@plugboard/mcp";
import { AskingTools } from "./asking-tools.ts";
import { compareTurns, FairShare } from "./fair-share.ts";
import type { ClientLoad } from "./fair-share.ts";
import { RunningTurns } from "./running-turns.ts";

export interface QueueRequest {
  readonly server: string;
  /** Absent for requests that are no calls. They are taken for requests that ask nothing. */
  readonly tool?: string | undefined;
  readonly caller: Caller;
  /** Identifies the client that the caller belongs to. By default the caller. */
  readonly client?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal | undefined;
}

/** The connection to a server. */
export interface SharedConnection {
  /**
   * When callers must take turns. `always`: the server asks without naming the call. `first`: it is not known how it asks,
   * so only tools that have not run yet take turns. `never`: each question names its call. Read again when a call ends.
   */
  readonly turns: CallerTurns;
}

/** The place of one running call. */
export interface Turn {
  /** How long the call waited for its turn. */
  readonly waitedMs: number;
  /** False if the server has asked nothing during earlier calls of the tool, or can't ask without naming the call. */
  readonly mayAsk: boolean;
  /** Ends the turn. Later calls have no effect. `succeeded` says whether the call has got a result that is no error. */
  release(succeeded?: boolean): void;
  /** Called when the call waits for a person. */
  suspend(): void;
  /** Called when the call goes on. */
  resume(): void;
}

interface Waiter {
  readonly caller: string;
  readonly load: ClientLoad;
  readonly tool: string | undefined;
  readonly since: number;
  readonly start: (turn: Turn) => void;
}

/** While a call waits for a person: how long another client waits for it. Then it starts beside it. */
const SUSPENDED_PATIENCE_MS = 5000;
/** In all: how long a client keeps its turn while another one waits, even if its calls ask and get answers in time. */
const TURN_BUDGET_MS = 30_000;
/** While a call runs: how long other callers wait for it. Then they start beside it. */
const RUNNING_PATIENCE_MS = 2000;
/** While a call of a tool runs that has asked before, and is likely to ask again: how long other callers wait for it. */
const ASKING_PATIENCE_MS = 10_000;
/** Limits the memory for waiting calls of one client. */
const MAX_WAITING = 1024;
/** The same for all clients of a principal. Whenever a call starts, the queue looks at all that wait. */
const MAX_WAITING_OF_PRINCIPAL = 2048;

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
  /** Remembers the tools that have asked, and those that have run without asking. */
  readonly #tools = new AskingTools();
  readonly #connection: SharedConnection;
  /** The calls that other clients wait for. Calls that have overstayed their turn are not among them. */
  readonly #running = new RunningTurns<QueueTurn, ClientLoad>(({ load }) => load);
  /** Those of them that may ask next. Not even those of one client overlap if they have different callers. */
  readonly #asking = new RunningTurns<QueueTurn, string>(({ caller }) => caller);
  /** In order of arrival. */
  readonly #waiting: Waiter[] = [];
  readonly #suspended = new Set<QueueTurn>();
  /** Runs while a call waits for the turn of another one. */
  #stopTimer: (() => void) | undefined;
  /** When another client than the one with the turn began to wait. */
  #awaitedSince: number | undefined;

  constructor(connection: SharedConnection, clock: Clock) {
    this.#connection = connection;
    this.clock = clock;
  }

  acquire(request: QueueRequest): Turn | Promise<Turn> {
    const { caller, client, tool } = request;
    const load = this.#shares.loadOf(caller, client);
    const { turns } = this.#connection;
    const mayAsk = turns !== "never" && this.#tools.mayAsk(tool);
    const isFree = turns === "never" ? load.waiting === 0 : this.#isFree(turns, caller.id, load, mayAsk);
    if (isFree && this.#shares.hasRoom(load)) return this.#start(caller.id, load, tool, mayAsk);
    return this.#wait(request, load);
  }

  suspend(turn: QueueTurn): void {
    this.#suspended.add(turn);
    if (turn.tool !== undefined) this.#tools.onAsked(turn.tool);
    turn.mayAsk = true;
    // Other clients wait again for a call that had overstayed its turn. Their own questions need a known owner.
    this.#running.add(turn);
    // This call has its question. The client's next question belongs to another call.
    this.#asking.delete(turn);
    this.#admit();
  }

  resume(turn: QueueTurn): void {
    if (!this.#suspended.delete(turn)) return;
    if (this.#running.has(turn)) this.#asking.add(turn);
    this.#cancelTimer();
    // A call that asks again and again does not get the full time each time.
    this.#updatePatience(this.#budgetMs);
  }

  /** Lets other clients start beside a call that waits for a person. Its question stays open. */
  pass(turn: QueueTurn): void {
    this.#leave(turn);
    this.#admit();
  }

  release(turn: QueueTurn, succeeded: boolean): void {
    if (this.#suspended.size > 0) this.#suspended.delete(turn);
    if (turn.mayAsk && succeeded && turn.tool !== undefined) this.#tools.onQuiet(turn.tool);
    this.#leave(turn);
    this.#shares.end(turn.load);
    if (this.#waiting.length > 0) this.#admit();
  }

  #enter(turn: QueueTurn): void {
    this.#running.add(turn);
    if (turn.mayAsk) this.#asking.add(turn);
  }

  #leave(turn: QueueTurn): void {
    // The turn of a call that has overstayed it was over before.
    if (!this.#running.delete(turn)) return;
    if (turn.mayAsk) this.#asking.delete(turn);
    this.#shares.markServed(turn.load);
    if (this.#running.size === 0) {
      // The next client gets the whole time.
      this.#cancelTimer();
      this.#awaitedSince = undefined;
    }
  }

  /** Whether a new call need not wait for others. */
  #isFree(turns: CallerTurns, caller: string, load: ClientLoad, mayAsk: boolean): boolean {
    if (mayAsk && !this.#asking.isFreeFor(caller)) return false;
    if (turns !== "always") return true;
    return this.#running.isFreeFor(load) && this.#waiting.every((waiter) => waiter.load === load);
  }

  /** Whether a waiting call may run beside the running ones. */
  #isTurnOf({ caller, load, tool }: Waiter): boolean {
    const { turns } = this.#connection;
    if (turns === "never") return true;
    if (this.#tools.mayAsk(tool) && !this.#asking.isFreeFor(caller)) return false;
    return turns === "first" || this.#running.isFreeFor(load);
  }

  #start(caller: string, load: ClientLoad, tool: string | undefined, mayAsk: boolean, waitedMs = 0): QueueTurn {
    const turn = new QueueTurn(this, caller, load, tool, mayAsk, waitedMs);
    this.#enter(turn);
    this.#shares.start(load);
    return turn;
  }

  #wait({ server, tool, caller, timeoutMs, signal }: QueueRequest, load: ClientLoad): Promise<Turn> {
    const tooMany = () =>
      new HostError("TOO_MANY_CALLS", { server, limit: this.#shares.limitOf(load), byCaller: true });
    const { principal } = load;
    if (load.waiting >= MAX_WAITING || principal.waiting >= MAX_WAITING_OF_PRINCIPAL) {
      this.#shares.releaseIfIdle(load);
      return Promise.reject(tooMany());
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        load.waiting -= 1;
        principal.waiting -= 1;
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
      const waiter: Waiter = { caller: caller.id, load, tool, since: steadyNow(this.clock), start };
      const onAbort = () => fail(cancelled());
      const busy = () => new HostError("SERVER_BUSY", { server, afterMs: timeoutMs });
      const stopTimer = this.clock.after(timeoutMs, () => fail(this.#shares.hasRoom(load) ? busy() : tooMany()));
      load.waiting += 1;
      principal.waiting += 1;
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) return onAbort();
      if (!this.#isTurnOf(waiter)) this.#onBlocked(load);
    });
  }

  /** Starts waiting calls until none may start. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const { caller, load, tool, since } = next;
      const mayAsk = this.#connection.turns !== "never" && this.#tools.mayAsk(tool);
      next.start(this.#start(caller, load, tool, mayAsk, steadyNow(this.clock) - since));
    }
    this.#updatePatience();
  }

  /**
   * Returns the next call to start. It belongs to the principal that has waited longest since its last turn, and to the
   * client of this principal that has waited longest.
   */
  #next(): Waiter | undefined {
    const blocked = this.#blocked();
    const isAwaited = this.#connection.turns === "always" && blocked.size > 0 && this.#running.size > 0;
    const seen = new Set<ClientLoad>();
    let best: Waiter | undefined;
    for (const waiter of this.#waiting) {
      const { load } = waiter;
      if (seen.has(load) || !this.#isTurnOf(waiter)) continue;
      seen.add(load);
      // A call does not join the running calls of its client while another client waits for the turn.
      if (isAwaited && isForOther(blocked, load)) continue;
      if (!this.#shares.hasRoom(load)) continue;
      if (!best || compareTurns(load, best.load) < 0) best = waiter;
    }
    return best;
  }

  /** Returns the clients with calls that wait for the turn of another call. */
  #blocked(): Set<ClientLoad> {
    const blocked = new Set<ClientLoad>();
    for (const waiter of this.#waiting) if (!this.#isTurnOf(waiter)) blocked.add(waiter.load);
    return blocked;
  }

  #updatePatience(maxMs = Infinity): void {
    const blocked = this.#waiting.length === 0 ? NO_LOADS : this.#blocked();
    if (blocked.size === 0) this.#cancelTimer();
    else this.#startTimer(maxMs);
    this.#updateAwaited(blocked);
    for (const turn of this.#suspended)
      if (isForOther(blocked, turn.load)) turn.startPatience(this.#suspendedMs);
      else turn.stopPatience();
  }

  /** Does the same when one more call waits for the turn of another one. Does not look at the others, which may be many. */
  #onBlocked(load: ClientLoad): void {
    this.#startTimer();
    if (!this.#running.isFreeFor(load)) this.#awaitedSince ??= steadyNow(this.clock);
    for (const turn of this.#suspended) if (turn.load !== load) turn.startPatience(this.#suspendedMs);
  }

  #startTimer(maxMs = Infinity): void {
    this.#stopTimer ??= this.clock.after(Math.min(this.#patienceMs, maxMs), () => this.#passTurn());
  }

  #updateAwaited(blocked: ReadonlySet<ClientLoad>): void {
    for (const load of blocked) {
      if (this.#running.isFreeFor(load)) continue;
      this.#awaitedSince ??= steadyNow(this.clock);
      return;
    }
    this.#awaitedSince = undefined;
  }

  get #suspendedMs(): number {
    return Math.min(SUSPENDED_PATIENCE_MS, this.#budgetMs);
  }

  /** What is left of the time for the running calls. */
  get #budgetMs(): number {
    if (this.#awaitedSince === undefined) return TURN_BUDGET_MS;
    return Math.max(0, this.#awaitedSince + TURN_BUDGET_MS - steadyNow(this.clock));
  }

  get #patienceMs(): number {
    const isLikelyToAsk = this.#asking.some(({ tool }) => this.#tools.hasAsked(tool));
    return isLikelyToAsk ? ASKING_PATIENCE_MS : RUNNING_PATIENCE_MS;
  }

  /** Lets other callers start beside the running calls. They go on waiting for calls that wait for a person. */
  #passTurn(): void {
    this.#cancelTimer();
    for (const turn of this.#running.list()) {
      if (this.#suspended.has(turn)) continue;
      this.#leave(turn);
      // Calls of a tool that runs for long must not delay each other again.
      if (turn.mayAsk && turn.tool !== undefined && this.#connection.turns === "first") this.#tools.onQuiet(turn.tool);
    }
    this.#admit();
  }

  #cancelTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

const NO_LOADS: ReadonlySet<ClientLoad> = new Set();

/** Whether one of the clients is another one than the given one. */
function isForOther(clients: ReadonlySet<ClientLoad>, client: ClientLoad): boolean {
  return clients.size > (clients.has(client) ? 1 : 0);
}

class QueueTurn implements Turn {
  readonly caller: string;
  readonly load: ClientLoad;
  readonly tool: string | undefined;
  mayAsk: boolean;
  readonly waitedMs: number;

  readonly #queue: ConnectionQueue;
  #released = false;
  #stopTimer: (() => void) | undefined;

  constructor(
    queue: ConnectionQueue,
    caller: string,
    load: ClientLoad,
    tool: string | undefined,
    mayAsk: boolean,
    waitedMs: number,
  ) {
    this.#queue = queue;
    this.caller = caller;
    this.load = load;
    this.tool = tool;
    this.mayAsk = mayAsk;
    this.waitedMs = waitedMs;
  }

  release(succeeded = false): void {
    if (this.#released) return;
    this.#released = true;
    this.stopPatience();
    this.#queue.release(this, succeeded);
  }

  suspend(): void {
    if (!this.#released) this.#queue.suspend(this);
  }

  resume(): void {
    this.stopPatience();
    this.#queue.resume(this);
  }

  /** Called when the call is suspended and another client waits for its turn. */
  startPatience(patienceMs: number): void {
    this.#stopTimer ??= this.#queue.clock.after(patienceMs, () => this.#queue.pass(this));
  }

  /** Called when the call goes on or ends, and when no other client waits. */
  stopPatience(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
