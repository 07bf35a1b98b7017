/** Gets requests to a server over whatever link there is, waiting for one if need be, and sends again what is safe to. */
import type { Pace } from "../backoff.ts";
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { failed } from "../dialect/failure.ts";
import type { Op } from "../dialect/op.ts";
import type { Outcome } from "../dialect/outcome.ts";
import type { CallContext } from "../dialect/session.ts";
import { Link } from "./link.ts";
import { mayRepeat, repeatAfter } from "./may-repeat.ts";
import { pause } from "./pause.ts";
import type { Supervision } from "./supervision.ts";

export interface RequestsOptions {
  readonly supervision: Supervision<Link>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: Pace;
  /** Whether anything is sent again. */
  readonly again: boolean;
  /** Fires when the connection is closed for good. */
  readonly ended: AbortSignal;
}

export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  send(op: Op, ctx: CallContext): Promise<Outcome> {
    const { again, supervision } = this.#options;
    if (again && mayRepeat(op, ctx)) return this.#repeatedly(op, ctx);
    return supervision.link ? supervision.link.request(op, ctx) : this.#onceOpen(op, ctx);
  }

  async #onceOpen(op: Op, ctx: CallContext): Promise<Outcome> {
    const link = await this.#reach(ctx.signal);
    return link instanceof Link ? link.request(op, ctx) : link;
  }

  async #repeatedly(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock, random, pace, ended } = this.#options;
    const until = steadyNow(clock) + ctx.maxMs;
    for (let tries = 1; ; tries++) {
      const link = await this.#reach(ctx.signal);
      // It could not be reached at all: the connection goes on trying, and says so.
      if (!(link instanceof Link)) return link;
      const outcome = await link.request(op, tries === 1 ? ctx : { ...ctx, maxMs: until - steadyNow(clock) });
      if (outcome.type !== "failed") return outcome;
      const leftMs = until - steadyNow(clock);
      const waitMs = repeatAfter(outcome.error, { tries, leftMs, random: random(), pace });
      if (waitMs === undefined) return outcome;
      await pause(clock, waitMs, [ctx.signal, ended]);
    }
  }

  #reach(signal: AbortSignal | undefined): Promise<Link | Outcome> {
    return this.#options.supervision.ready(signal).catch(failed);
  }
}
