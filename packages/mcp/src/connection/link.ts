/** An open way to a server: requests go through it, and what becomes of them tells whether it is alive and in use. */
import type { HostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import type { Op } from "../dialect/op.ts";
import type { Outcome } from "../dialect/outcome.ts";
import type { CallContext, Session } from "../dialect/session.ts";
import { HealthWatch } from "./health.ts";
import { IdleWatch } from "./idle.ts";
import type { ConnectionLimits } from "./limits.ts";
import { OpenCalls } from "./open-calls.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface LinkOptions {
  readonly server: string;
  readonly target: Target;
  readonly clock: Clock;
  /** By which the server's slowness is measured. */
  readonly serverTime: Clock;
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

export class Link {
  readonly session: Session;
  readonly pid: number | undefined;

  readonly #calls = new OpenCalls(() => this.#idle?.used());
  readonly #health: HealthWatch | undefined;
  readonly #idle: IdleWatch | undefined;

  constructor(options: LinkOptions) {
    const { session, pid, clock, idleStopMs, onUnused } = options;
    this.session = session;
    this.pid = pid;
    const inUse = () => this.#calls.count > 0;
    this.#health = watchHealth(options, () => inUse() || session.unfinished);
    if (idleStopMs !== undefined) this.#idle = new IdleWatch({ clock, afterMs: idleStopMs, inUse, onUnused });
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const outcome = this.#calls.during(this.session.request(op, ctx));
    return this.#health ? this.#health.note(outcome) : outcome;
  }

  async close(): Promise<void> {
    this.#health?.stop();
    this.#idle?.stop();
    await this.session.close();
  }
}

function watchHealth(options: LinkOptions, busy: () => boolean): HealthWatch | undefined {
  const { server, target, serverTime, limits, session, onDead } = options;
  const intervalMs = options.healthIntervalMs ?? (isAsked(options) ? DEFAULT_HEALTH_INTERVAL_MS : 0);
  if (!isRemote(target) && intervalMs === 0) return undefined;
  return new HealthWatch({
    server,
    clock: serverTime,
    intervalMs: intervalMs === 0 ? undefined : intervalMs,
    timeoutMs: limits.healthTimeoutMs,
    againMs: limits.healthAgainMs,
    alive: (signal, again) => session.alive(signal, again),
    busy,
    onDead,
  });
}

/** Returns true for processes, which may hang, and for sessions at a URL, which may end unnoticed. */
function isAsked({ target, session }: LinkOptions): boolean {
  if (target.transport === "stdio") return true;
  // A WebSocket has ping frames of its own. A modern server has no session that could be lost.
  return isRemote(target) && target.transport !== "websocket" && session.era === "legacy";
}
