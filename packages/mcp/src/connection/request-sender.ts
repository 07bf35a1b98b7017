/** Sends requests over the current link, waits for a link if there is none, and retries safe requests. */
import type { BackoffOptions } from "../lib/backoff.ts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { Op } from "../session/op.ts";
import { failedOutcome } from "../session/outcome.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext } from "../session/session.ts";
import { ServerLink } from "./server-link.ts";
import { isRetryable, retryDelayMs } from "./retry-policy.ts";
import { abortableDelay } from "../lib/abortable-delay.ts";
import type { ReconnectLoop } from "./reconnect-loop.ts";

export interface RequestSenderOptions {
  readonly reconnectLoop: ReconnectLoop<ServerLink>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: BackoffOptions;
  /** False disables all retries. */
  readonly retries: boolean;
  /** Aborts when the connection is closed permanently. */
  readonly stopped: AbortSignal;
}

export class RequestSender {
  readonly #options: RequestSenderOptions;

  constructor(options: RequestSenderOptions) {
    this.#options = options;
  }

  send(op: Op, ctx: CallContext): Promise<Outcome> {
    const { retries, reconnectLoop } = this.#options;
    if (retries && isRetryable(op, ctx)) return this.#sendWithRetries(op, ctx);
    return reconnectLoop.link ? reconnectLoop.link.request(op, ctx) : this.#sendWhenOpen(op, ctx);
  }

  async #sendWhenOpen(op: Op, ctx: CallContext): Promise<Outcome> {
    const link = await this.#waitForLink(ctx.signal);
    return link instanceof ServerLink ? link.request(op, ctx) : link;
  }

  async #sendWithRetries(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock, random, pace, stopped } = this.#options;
    const deadline = steadyNow(clock) + ctx.maxMs;
    for (let tries = 1; ; tries++) {
      const link = await this.#waitForLink(ctx.signal);
      // The connection attempt has failed. The reconnect loop retries it.
      if (!(link instanceof ServerLink)) return link;
      const outcome = await link.request(op, tries === 1 ? ctx : { ...ctx, maxMs: deadline - steadyNow(clock) });
      if (outcome.type !== "failed") return outcome;
      const leftMs = deadline - steadyNow(clock);
      const waitMs = retryDelayMs(outcome.error, { tries, leftMs, random: random(), pace });
      if (waitMs === undefined) return outcome;
      await abortableDelay(clock, waitMs, [ctx.signal, stopped]);
    }
  }

  #waitForLink(signal: AbortSignal | undefined): Promise<ServerLink | Outcome> {
    return this.#options.reconnectLoop.ready(signal).catch(failedOutcome);
  }
}
