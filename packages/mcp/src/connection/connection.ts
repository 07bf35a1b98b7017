/**
 * The link to one server: opened when it is first wanted, shared by everybody
 * who wants it, opened again when it is lost, with the catalog of what the
 * server offers. A request goes through it, whatever becomes of the link.
 */
import type { Era } from "@plugboard/contracts";
import { Catalog } from "../catalog/catalog.ts";
import { NO_TOOLS } from "../catalog/list-tools.ts";
import type { ToolCatalog } from "../catalog/list-tools.ts";
import type { Clock } from "../clock.ts";
import { failed } from "../dialect/failure.ts";
import type { Identity } from "../dialect/identity.ts";
import type { Op } from "../dialect/op.ts";
import type { Outcome } from "../dialect/outcome.ts";
import type { CallContext, OnStrayAsk, Session, SessionPorts } from "../dialect/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { HealthWatch } from "./health.ts";
import { DEFAULT_LIMITS, patienceWith } from "./limits.ts";
import type { ConnectionLimits } from "./limits.ts";
import { isSafe, repeatAfter } from "./may-repeat.ts";
import { openLink } from "./open-link.ts";
import type { Link } from "./open-link.ts";
import { pause } from "./pause.ts";
import type { ConnectionState, Patience } from "./state.ts";
import { Supervision } from "./supervision.ts";
import type { Target } from "./target.ts";

export interface ConnectionOptions {
  /** How errors call it. */
  readonly server: string;
  readonly target: Target;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** What is known of the server's era from before; the connection writes down what it learns. */
  readonly eras: { get(): Era | undefined; set(era: Era): void };
  /** How often a server is asked whether it is still there; 0 for never. Unless given, by what it is. */
  readonly healthIntervalMs?: number | undefined;
  /** Whether what is safe to send twice is, when it gets lost or is refused for now. */
  readonly retry?: "safe" | "never";
  readonly onStrayAsk: OnStrayAsk;
  readonly onChanged: (what: "state" | "catalog") => void;
  /** What the server may know and use beside: the folders, the model; and where its log goes. */
  readonly lends?: Pick<SessionPorts, "roots" | "sampling" | "onLog">;
}

export class Connection {
  lastConnectedAt: number | undefined;

  readonly #options: ConnectionOptions;
  readonly #random: () => number;
  readonly #patience: Patience;
  readonly #supervision: Supervision<Link>;
  readonly #catalog: Catalog;
  readonly #ended = new AbortController();
  #process: ServerProcess | undefined;

  constructor(options: ConnectionOptions, given: Partial<ConnectionLimits> = {}) {
    const limits = { ...DEFAULT_LIMITS, ...given };
    const { server, target, clock, random = Math.random, requestTimeoutMs, onStrayAsk, lends } = options;
    this.#options = options;
    this.#random = random;
    this.#patience = patienceWith(target, limits);
    this.#catalog = new Catalog({
      server,
      clock,
      timeoutMs: requestTimeoutMs,
      onChanged: () => options.onChanged("catalog"),
    });
    const link = {
      ...options,
      random,
      limits,
      ports: { ...lends, onStrayAsk },
      onProcess: (started: ServerProcess) => void (this.#process = started),
      learn: (session: Session, signal: AbortSignal) => this.#catalog.opened(session, signal),
    };
    this.#supervision = new Supervision<Link>({
      server,
      clock,
      random,
      patience: this.#patience,
      settledMs: limits.settledMs,
      open: (attempt) => openLink(link, attempt),
      close: (opened) => opened.close(),
      onChanged: (state) => this.#changed(state),
    });
  }

  get state(): ConnectionState {
    return this.#supervision.state;
  }

  get session(): Session | undefined {
    return this.#supervision.link?.session;
  }

  /** Whether calls of different callers must not overlap. */
  get needsTurns(): boolean {
    return this.session?.needsTurns ?? false;
  }

  /** What can be had of the server now. */
  get catalog(): ToolCatalog {
    return this.#supervision.link ? this.#catalog.tools : NO_TOOLS;
  }

  get pid(): number | undefined {
    return this.#supervision.link?.pid;
  }

  /** The last that a server's process wrote to stderr. */
  get stderrTail(): string {
    return this.#process?.stderrTail ?? "";
  }

  /** The session, opening it if need be. Rejects with what the attempt it waited for ended with; others may follow. */
  async ready(signal?: AbortSignal): Promise<Session> {
    return (await this.#supervision.ready(signal)).session;
  }

  /** Tries again at once, also what was given up. */
  async retry(signal?: AbortSignal): Promise<Session> {
    return (await this.#supervision.retry(signal)).session;
  }

  /** Opens the connection if need be. Never rejects; what may have run is never sent twice. */
  request(op: Op, ctx: CallContext): Promise<Outcome> {
    if (isSafe(op) && this.#options.retry !== "never") return this.#repeatedly(op, ctx);
    const { link } = this.#supervision;
    return link ? send(link, op, ctx) : this.#onceOpen(op, ctx);
  }

  /** For good: whoever wants the server again makes a new connection. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#supervision.stop();
  }

  async #onceOpen(op: Op, ctx: CallContext): Promise<Outcome> {
    const link = await this.#reach(ctx.signal);
    return "session" in link ? send(link, op, ctx) : link;
  }

  async #repeatedly(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock } = this.#options;
    const until = clock.now() + ctx.maxMs;
    for (let tries = 1; ; tries++) {
      const link = await this.#reach(ctx.signal);
      // It could not be reached at all: the connection goes on trying, and says so.
      if (!("session" in link)) return link;
      const outcome = await send(link, op, tries === 1 ? ctx : { ...ctx, maxMs: until - clock.now() });
      if (outcome.type !== "failed") return outcome;
      const tried = { tries, leftMs: until - clock.now(), random: this.#random(), pace: this.#patience.pace };
      const waitMs = repeatAfter(outcome.error, tried);
      if (waitMs === undefined) return outcome;
      await pause(clock, waitMs, [ctx.signal, this.#ended.signal]);
    }
  }

  #reach(signal: AbortSignal | undefined): Promise<Link | Outcome> {
    return this.#supervision.ready(signal).catch(failed);
  }

  #changed({ phase }: ConnectionState): void {
    if (phase === "ready") this.lastConnectedAt = this.#options.clock.now();
    else this.#catalog.closed();
    this.#options.onChanged("state");
  }
}

function send(link: Link, op: Op, ctx: CallContext): Promise<Outcome> {
  const outcome = link.session.request(op, ctx);
  return link.health ? noted(link.health, outcome) : outcome;
}

/** What becomes of a request tells how its server is. */
async function noted(health: HealthWatch, outcome: Promise<Outcome>): Promise<Outcome> {
  const end = await outcome;
  if (end.type === "failed") health.suspect(end.error);
  else health.heard();
  return end;
}
