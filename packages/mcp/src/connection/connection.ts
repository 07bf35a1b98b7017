/**
 * The link to one server: opened when it is first wanted, shared by everybody
 * who wants it, with the catalog of what the server offers. One attempt runs at
 * a time, however many wait for it.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Caller, Era } from "@plugboard/contracts";
import { listTools, NO_TOOLS } from "../catalog/list-tools.ts";
import type { ToolCatalog } from "../catalog/list-tools.ts";
import type { Clock } from "../clock.ts";
import type { Identity } from "../dialect/identity.ts";
import { openSession } from "../dialect/open-session.ts";
import type { OnStrayAsk, Session, SessionPorts } from "../dialect/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import { HttpTransport } from "../transport/http.ts";
import { StdioTransport } from "../transport/stdio.ts";
import type { Transport } from "../wire/transport.ts";
import { IDLE, step } from "./state.ts";
import type { ConnectionFact, ConnectionState } from "./state.ts";
import type { Target } from "./target.ts";

export interface ConnectionOptions {
  /** How errors call it. */
  readonly server: string;
  readonly target: Target;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** What is known of the server's era from before; the connection writes down what it learns. */
  readonly eras: { get(): Era | undefined; set(era: Era): void };
  readonly onStrayAsk: OnStrayAsk;
  readonly onChanged: (what: "state" | "catalog") => void;
  /** What the server may know and use beside: the folders, the model; and where its log goes. */
  readonly lends?: Pick<SessionPorts, "roots" | "sampling" | "onLog">;
}

export interface ConnectionLimits {
  readonly silenceMs: number;
  readonly maxMessageBytes: number;
}

/**
 * A server that still starts is silent too, and being hurried binds one that speaks
 * both eras to the older; so the wait is long enough for an ordinary start.
 */
const DEFAULT_LIMITS: ConnectionLimits = { silenceMs: 1500, maxMessageBytes: 16 * 1024 * 1024 };

const RELIST_PAUSE_MS = 250;

/** The connection lists on its own behalf. */
const HOST: Caller = { kind: "program", id: "host" };

export class Connection {
  catalog: ToolCatalog = NO_TOOLS;
  lastConnectedAt: number | undefined;

  readonly #options: ConnectionOptions;
  readonly #limits: ConnectionLimits;
  #state: ConnectionState = IDLE;
  #session: Session | undefined;
  #process: ServerProcess | undefined;
  #opening: Promise<Session> | undefined;
  #abortOpening: AbortController | undefined;
  #relist: "no" | "running" | "again" = "no";
  #stopped = false;

  constructor(options: ConnectionOptions, limits: Partial<ConnectionLimits> = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get pid(): number | undefined {
    return this.#state.phase === "ready" ? this.#process?.pid : undefined;
  }

  /** The last that a server's process wrote to stderr. */
  get stderrTail(): string {
    return this.#process?.stderrTail ?? "";
  }

  /** The session, opening it if need be. A caller that gives up does not stop the others. */
  async ready(signal?: AbortSignal): Promise<Session> {
    if (this.#stopped) throw new HostError("CONNECTION_CLOSED", { server: this.#options.server });
    if (this.#state.phase === "ready" && this.#session) return this.#session;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return signal ? orAborted(this.#opening, signal) : this.#opening;
  }

  /** For good: whoever wants the server again makes a new connection. */
  async stop(): Promise<void> {
    const { server } = this.#options;
    this.#stopped = true;
    this.#apply({ type: "stopped" });
    this.#abortOpening?.abort(new HostError("CONNECTION_CLOSED", { server }));
    await this.#opening?.catch(() => {});
    await this.#letGo();
  }

  async #open(): Promise<Session> {
    const { server, clock, startupTimeoutMs, eras, identity, onStrayAsk, lends } = this.#options;
    const abort = (this.#abortOpening = new AbortController());
    this.#apply({ type: "wanted" });
    const { attempt } = this.#state;
    const stopTimer = clock.after(startupTimeoutMs, () => {
      const stderr = this.#process?.stderrTail;
      const details = { server, afterMs: startupTimeoutMs, ...(stderr && { stderr }) };
      abort.abort(new HostError("SERVER_NOT_RESPONDING", details));
    });
    try {
      await this.#letGo();
      const { session, remember } = await openSession({
        server,
        clock,
        random: Math.random,
        identity,
        connect: () => this.#connect(),
        remembered: eras.get(),
        silenceMs: this.#limits.silenceMs,
        signal: abort.signal,
        ports: { ...lends, onStrayAsk, onClosed: (error) => this.#lost(attempt, error) },
      });
      this.#session = session;
      eras.set(remember);
      this.catalog = await this.#list(session, abort.signal);
      if (session.facts.offers.changes.tools) session.listen({ tools: true }, () => void this.#listAgain());
      this.lastConnectedAt = clock.now();
      this.#apply({ type: "opened", attempt });
      return session;
    } catch (thrown) {
      const error = toHostError(abort.signal.aborted ? abort.signal.reason : thrown);
      await this.#letGo();
      this.#apply({ type: "failed", attempt, error });
      throw error;
    } finally {
      stopTimer();
    }
  }

  async #connect(): Promise<Transport> {
    const { server, target, processes, clock } = this.#options;
    const { maxMessageBytes } = this.#limits;
    if (target.transport === "http") {
      return new HttpTransport({ server, url: target.url, headers: target.headers, maxMessageBytes });
    }
    const { command, args, cwd, env } = target;
    const process = await processes.start({ server, command, args, cwd, env });
    this.#process = process;
    return new StdioTransport({ server, process, clock, maxMessageBytes });
  }

  #list(session: Session, signal?: AbortSignal): Promise<ToolCatalog> {
    const { server, requestTimeoutMs } = this.#options;
    const ctx = { caller: HOST, signal, timeoutMs: requestTimeoutMs, maxMs: requestTimeoutMs, elicitation: false };
    return listTools(server, session, ctx);
  }

  /** However often a server says that its list changed, one listing runs and at most one waits. */
  async #listAgain(): Promise<void> {
    if (this.#relist !== "no") return void (this.#relist = "again");
    do {
      this.#relist = "running";
      const session = this.#session;
      if (!session) break;
      try {
        this.catalog = await this.#list(session);
        this.#options.onChanged("catalog");
      } catch {
        // The last good list stays; if the server is broken, the connection itself says so.
        break;
      }
      // A server that says so with every list would keep us listing.
      await new Promise<void>((resolve) => this.#options.clock.after(RELIST_PAUSE_MS, resolve));
    } while ((this.#relist as string) === "again");
    this.#relist = "no";
  }

  #lost(attempt: number, error: HostError): void {
    this.#apply({ type: "failed", attempt, error });
  }

  #apply(fact: ConnectionFact): void {
    const next = step(this.#state, fact);
    if (next === this.#state) return;
    this.#state = next;
    if (next.phase !== "ready" && next.phase !== "connecting") this.catalog = NO_TOOLS;
    this.#options.onChanged("state");
  }

  /** Closes what an attempt has left open, whatever became of it. */
  async #letGo(): Promise<void> {
    const session = this.#session;
    const process = this.#process;
    this.#session = undefined;
    this.#process = undefined;
    await session?.close();
    await process?.sweep();
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
