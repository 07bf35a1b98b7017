/**
 * Queues the calls on a connection, by three rules:
 *
 * - Turns: if a server asks questions without naming the call, only one client's calls run at a time, so that the owner
 *   of each question is known. Until it is known how the server asks, only tools that have not run yet take turns.
 * - Patience: after some seconds of waiting, the calls of a client start beside the running calls. A question that
 *   comes while calls of several clients run is answered when the calls of only one client are left.
 * - Fair share: no client gets more than its part of a server. Principals get turns one after another, however many
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
  /** Absent for requests that are no tool calls. The server is assumed to ask nothing during them. */
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
   * When callers must take turns. `always`: the server asks without naming the call. `first`: it is
   * not known how it asks, so only tools that have not run yet take turns. `never`: each question
   * names its call. Read again when a call ends.
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
  /** Must be called when the call begins to wait for a person. */
  suspend(): void;
  /** Must be called when the call goes on. */
  resume(): void;
}

interface Waiter {
  readonly caller: string;
  readonly load: ClientLoad;
  readonly tool: string | undefined;
  readonly since: number;
  readonly start: (turn: Turn) => void;
}

/** How long another client waits for a call that waits for a person. Then its calls start beside that call. */
const SUSPENDED_PATIENCE_MS = 5000;
/**
 * How long a client keeps its turn in total while another client waits, even if its calls ask and get answers in time.
 */
const TURN_BUDGET_MS = 30_000;
/** How long other callers wait for a running call. Then their calls start beside it. */
const RUNNING_PATIENCE_MS = 2000;
/** The same for a running call of a tool that has asked before, and is likely to ask again. */
const ASKING_PATIENCE_MS = 10_000;
/** Limits the memory for waiting calls of one client. */
const MAX_WAITING = 1024;
/** The same for all clients of a principal. It also limits time: for each call that starts, the queue is searched. */
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
  /** Remembers which tools have asked, and which tools have run without asking. */
  readonly #tools = new AskingTools();
  readonly #connection: SharedConnection;
  /**
   * The running calls that other clients wait for. A call that others no longer wait for still runs, but is not here.
   */
  readonly #running = new RunningTurns<QueueTurn, ClientLoad>(({ load }) => load);
  /**
   * The calls in `#running` that may ask a question next. Two such calls of different callers never overlap, even if
   * both callers belong to one client.
   */
  readonly #asking = new RunningTurns<QueueTurn, string>(({ caller }) => caller);
  /** The waiting calls, in order of arrival. */
  readonly #waiting: Waiter[] = [];
  /** The calls that wait for a person. */
  readonly #suspended = new Set<QueueTurn>();
  /** Stops the timer of `#passTurn`, which runs while a call waits for the turn of another call. */
  #stopTimer: (() => void) | undefined;
  /** The time at which a client began to wait for the running calls of another client. */
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
    // If the turn of this call was over, other clients wait for it again,
    // because their own questions need a known owner.
    this.#running.add(turn);
    // This call has asked its question. The next question of its client would belong to another call.
    this.#asking.delete(turn);
    this.#admit();
  }

  resume(turn: QueueTurn): void {
    if (!this.#suspended.delete(turn)) return;
    if (this.#running.has(turn)) this.#asking.add(turn);
    this.#cancelTimer();
    // A call that asks again and again gets only the rest of its budget each time.
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
    // The turn of the call may have been over before, because other clients had lost their patience.
    if (!this.#running.delete(turn)) return;
    if (turn.mayAsk) this.#asking.delete(turn);
    this.#shares.markServed(turn.load);
    if (this.#running.size === 0) {
      // The next client gets the whole time.
      this.#cancelTimer();
      this.#awaitedSince = undefined;
    }
  }

  /** Returns whether a new call may start without waiting for other calls. */
  #isFree(turns: CallerTurns, caller: string, load: ClientLoad, mayAsk: boolean): boolean {
    if (mayAsk && !this.#asking.isFreeFor(caller)) return false;
    if (turns !== "always") return true;
    return this.#running.isFreeFor(load) && this.#waiting.every((waiter) => waiter.load === load);
  }

  /** Returns whether a waiting call may run beside the running calls. */
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
   * Returns the next call to start. The principal whose last turn is longest ago comes first, and among its clients the
   * client whose last turn is longest ago.
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

  /** Starts the timers of the calls that others wait for, and stops the timers of all other calls. */
  #updatePatience(maxMs = Infinity): void {
    const blocked = this.#waiting.length === 0 ? NO_LOADS : this.#blocked();
    if (blocked.size === 0) this.#cancelTimer();
    else this.#startTimer(maxMs);
    this.#updateAwaited(blocked);
    for (const turn of this.#suspended)
      if (isForOther(blocked, turn.load)) turn.startPatience(this.#suspendedMs);
      else turn.stopPatience();
  }

  /**
   * Like `#updatePatience`, after one more call began to wait. Does not look at
   * the other waiting calls: they may be many.
   */
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

  /** How long the client with the turn may still keep it. */
  get #budgetMs(): number {
    if (this.#awaitedSince === undefined) return TURN_BUDGET_MS;
    return Math.max(0, this.#awaitedSince + TURN_BUDGET_MS - steadyNow(this.clock));
  }

  get #patienceMs(): number {
    const isLikelyToAsk = this.#asking.some(({ tool }) => this.#tools.hasAsked(tool));
    return isLikelyToAsk ? ASKING_PATIENCE_MS : RUNNING_PATIENCE_MS;
  }

  /** Lets other callers start beside the running calls. Calls that wait for a person are not passed: see `pass`. */
  #passTurn(): void {
    this.#cancelTimer();
    for (const turn of this.#running.list()) {
      if (this.#suspended.has(turn)) continue;
      this.#leave(turn);
      // A tool that runs for long without a question counts as quiet, so that its next calls do not delay each other.
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

/** Returns whether the set contains any client other than the given one. */
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
