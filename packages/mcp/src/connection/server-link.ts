/** An open session with a server. Watches by the outcomes of its requests whether the server is alive and in use. */
import type { HostError, Clock, Redactor } from "@plugboard/contracts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext, Session } from "../session/session.ts";
import { HealthWatch } from "./health-watch.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { ConnectionSettings } from "./connection-options.ts";
import { OpenCalls } from "./open-calls.ts";
import { redactOutcome } from "./redact-outcome.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface ServerLinkOptions {
  readonly session: Session;
  readonly pid: number | undefined;
  readonly watch: LinkWatchOptions;
  /** Called when the server no longer answers. */
  readonly onDead: (error: HostError) => void;
}

/** How links of a connection are watched. The same for every link. */
export interface LinkWatchOptions {
  readonly server: string;
  readonly target: Target;
  readonly clock: Clock;
  /** Measures the response time of the server. */
  readonly serverClock: Clock;
  readonly limits: ConnectionLimits;
  /** Masks the secrets of the definition and the login in errors. Undefined if there are none. */
  readonly redactor: Redactor | undefined;
  /** Returns the settings of the connection now. */
  readonly settings: () => Pick<ConnectionSettings, "healthIntervalMs" | "idleStopMs">;
  /** True while a caller waits for updates of a resource. The link then stays open without requests. */
  readonly hasSubscribers: () => boolean;
  /** Called when the link was not used for `idleStopMs`. */
  readonly onUnused: () => void;
}

const DEFAULT_HEALTH_INTERVAL_MS = 30_000;

export class ServerLink {
  readonly session: Session;
  readonly pid: number | undefined;
  /** True if the server has answered a call, or asked for something during one. */
  hasServed = false;

  readonly #openCalls = new OpenCalls(() => this.#onCallEnded());
  readonly #options: ServerLinkOptions;
  readonly #redactor: Redactor | undefined;
  /** The settings that the watches use now. */
  #watched: ReturnType<LinkWatchOptions["settings"]>;
  #health: HealthWatch | undefined;
  #idle: IdleWatch | undefined;
  #closed = false;
  #onceUnused: (() => void)[] | undefined;

  constructor(options: ServerLinkOptions) {
    const { session, pid, watch } = options;
    this.#options = options;
    this.session = session;
    this.pid = pid;
    this.#redactor = watch.redactor;
    this.#watched = watch.settings();
    this.#health = this.#watchHealth();
    this.#idle = this.#watchIdle();
  }

  /** Applies changed settings. An unchanged watch goes on. */
  settingsChanged(): void {
    if (this.#closed) return;
    const { healthIntervalMs, idleStopMs } = this.#watched;
    const settings = (this.#watched = this.#options.watch.settings());
    if (settings.healthIntervalMs !== healthIntervalMs) {
      this.#health?.stop();
      this.#health = this.#watchHealth();
    }
    if (settings.idleStopMs !== idleStopMs) {
      this.#idle?.stop();
      this.#idle = this.#watchIdle();
    }
  }

  #watchHealth(): HealthWatch | undefined {
    return watchHealth(this.#options, () => this.inUse || this.session.mayBeBusy);
  }

  #watchIdle(): IdleWatch | undefined {
    const { clock, hasSubscribers, onUnused } = this.#options.watch;
    const { idleStopMs } = this.#watched;
    if (!idleStopMs) return undefined;
    const inUse = () => this.inUse || hasSubscribers();
    return new IdleWatch({ clock, afterMs: idleStopMs, inUse, onUnused });
  }

  get inUse(): boolean {
    return this.#openCalls.count > 0;
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const request = this.session.request(op, ctx);
    this.#openCalls.begin();
    return request.then((outcome) => this.#settle(op, outcome));
  }

  #settle(op: Op, outcome: Outcome): Outcome {
    this.#health?.observe(outcome);
    if (!this.hasServed) this.hasServed = isServed(op, outcome);
    const settled = this.#openCalls.settle(outcome);
    return this.#redactor ? redactOutcome(settled, this.#redactor) : settled;
  }

  /** Calls the function when the running calls have ended. */
  onceUnused(run: () => void): void {
    (this.#onceUnused ??= []).push(run);
    this.#onCallEnded();
  }

  #onCallEnded(): void {
    this.#idle?.used();
    const onceUnused = this.#onceUnused;
    if (!onceUnused || this.inUse) return;
    this.#onceUnused = undefined;
    for (const run of onceUnused) run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#health?.stop();
    this.#idle?.stop();
    await this.session.close();
  }
}

/** Lists do not count. The host asks for them after every start, so a server in a crash loop may answer them. */
function isServed({ method }: Op, outcome: Outcome): boolean {
  return !method.endsWith("/list") && (outcome.type !== "failed" || outcome.error.peer !== undefined);
}

function watchHealth(options: ServerLinkOptions, busy: () => boolean): HealthWatch | undefined {
  const { session, watch, onDead } = options;
  const { server, target, serverClock, limits } = watch;
  const { healthIntervalMs } = watch.settings();
  const intervalMs = healthIntervalMs ?? (needsPings(target, session) ? DEFAULT_HEALTH_INTERVAL_MS : 0);
  if (!isRemote(target) && intervalMs === 0) return undefined;
  return new HealthWatch({
    server,
    clock: serverClock,
    intervalMs: intervalMs === 0 ? undefined : intervalMs,
    timeoutMs: limits.healthTimeoutMs,
    retryMs: limits.healthRetryMs,
    ping: (signal, secondTry) => session.ping(signal, secondTry),
    busy,
    onDead,
  });
}

/** Returns true for processes, which may hang, and for sessions at a URL, which may end unnoticed. */
function needsPings(target: Target, session: Session): boolean {
  if (target.transport === "stdio") return true;
  // A WebSocket has ping frames of its own.
  return isRemote(target) && target.transport !== "websocket" && session.canBeForgotten;
}
