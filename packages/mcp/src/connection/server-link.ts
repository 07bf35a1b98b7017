/** An open way to a server: requests go through it, and what becomes of them tells whether it is alive and in use. */
import type { HostError } from "@plugboard/contracts";
import type { Clock } from "../lib/clock.ts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext, Session } from "../session/session.ts";
import { HealthWatch } from "./health-watch.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { OpenCalls } from "./open-calls.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface ServerLinkOptions {
  readonly server: string;
  readonly target: Target;
  readonly clock: Clock;
  /** By which the server's slowness is measured. */
  readonly serverClock: Clock;
  readonly limits: ConnectionLimits;
  readonly healthIntervalMs?: number | undefined;
  readonly idleStopMs?: number | undefined;
  readonly session: Session;
  /** Of its process, where it has one. */
  readonly pid?: number | undefined;
  /** Told when it is found dead. */
  readonly onDead: (error: HostError) => void;
  /** Told when nobody has used it for `idleStopMs`. */
  readonly onUnused: () => void;
}

const DEFAULT_HEALTH_INTERVAL_MS = 30_000;

export class ServerLink {
  readonly session: Session;
  readonly pid: number | undefined;

  readonly #openCalls = new OpenCalls(() => this.#idle?.used());
  readonly #health: HealthWatch | undefined;
  readonly #idle: IdleWatch | undefined;

  constructor(options: ServerLinkOptions) {
    const { session, pid, clock, idleStopMs, onUnused } = options;
    this.session = session;
    this.pid = pid;
    const inUse = () => this.#openCalls.count > 0;
    this.#health = watchHealth(options, () => inUse() || session.mayBeBusy);
    if (idleStopMs !== undefined) this.#idle = new IdleWatch({ clock, afterMs: idleStopMs, inUse, onUnused });
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const outcome = this.#openCalls.track(this.session.request(op, ctx));
    return this.#health ? this.#health.track(outcome) : outcome;
  }

  async close(): Promise<void> {
    this.#health?.stop();
    this.#idle?.stop();
    await this.session.close();
  }
}

function watchHealth(options: ServerLinkOptions, busy: () => boolean): HealthWatch | undefined {
  const { server, target, serverClock, limits, session, onDead } = options;
  const intervalMs = options.healthIntervalMs ?? (needsPings(options) ? DEFAULT_HEALTH_INTERVAL_MS : 0);
  if (!isRemote(target) && intervalMs === 0) return undefined;
  return new HealthWatch({
    server,
    clock: serverClock,
    intervalMs: intervalMs === 0 ? undefined : intervalMs,
    timeoutMs: limits.healthTimeoutMs,
    retryMs: limits.healthRetryMs,
    ping: (signal, again) => session.ping(signal, again),
    busy,
    onDead,
  });
}

/** Returns true for processes, which may hang, and for sessions at a URL, which may end unnoticed. */
function needsPings({ target, session }: ServerLinkOptions): boolean {
  if (target.transport === "stdio") return true;
  // A WebSocket has ping frames of its own. A modern server has no session that could be lost.
  return isRemote(target) && target.transport !== "websocket" && session.era === "legacy";
}
