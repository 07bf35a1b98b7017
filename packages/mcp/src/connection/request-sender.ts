/**
 * Sends requests over the current link, waits for a link if there is none, and retries safe requests. Only requests that
 * change nothing at the server are safe. A tool call is safe only if its caller says so, never because of the tool's own
 * annotations.
 */
import type { BackoffOptions, HostError, CancelSignal, Clock } from "@plugboard/contracts";
import { abortableDelay, backoff, steadyNow } from "@plugboard/contracts";
import type { Method, Op } from "../session/op.ts";
import { failedOutcome } from "../session/outcome.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext } from "../session/session.ts";
import type { ReconnectLoop } from "./reconnect-loop.ts";
import { ServerLink } from "./server-link.ts";

export interface RequestSenderOptions {
  readonly reconnectLoop: ReconnectLoop<ServerLink>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: BackoffOptions;
  /** Returns whether safe requests are retried now. */
  readonly retries: () => boolean;
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
    if (retries() && isRetryable(op, ctx)) return this.#sendWithRetries(op, ctx);
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
      const remainingMs = tries === 1 ? ctx.maxMs : deadline - steadyNow(clock);
      if (ctx.timing) ctx.timing.retryMs = ctx.maxMs - remainingMs;
      const outcome = await link.request(op, tries === 1 ? ctx : { ...ctx, maxMs: remainingMs });
      if (outcome.type !== "failed") return outcome;
      const leftMs = deadline - steadyNow(clock);
      const waitMs = retryDelayMs(outcome.error, { tries, leftMs, random: random(), pace });
      if (waitMs === undefined) return outcome;
      await abortableDelay(clock, waitMs, [ctx.signal, stopped]);
    }
  }

  #waitForLink(signal: CancelSignal | undefined): Promise<ServerLink | Outcome> {
    return this.#options.reconnectLoop.ready({ signal }).catch(failedOutcome);
  }
}

const SAFE_METHODS: ReadonlySet<Method> = new Set<Method>([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "tasks/get",
]);

/** A resumed call is never sent again, because its answers must be sent once. */
export function isRetryable({ method, params }: Op, { retryable = false }: Pick<CallContext, "retryable">): boolean {
  const safe = SAFE_METHODS.has(method) || (method === "tools/call" && retryable);
  return safe && !("resumed" in params && params.resumed);
}

export interface RetryState {
  /** How often the request was sent. */
  readonly tries: number;
  /** The time left until the request times out. */
  readonly leftMs: number;
  /** Between 0 and 1. Spreads the retries of requests that failed together. */
  readonly random: number;
  readonly pace?: BackoffOptions;
}

const MAX_TRIES = 4;
/** A request fails at once if the server asks to retry after a longer time. */
const MAX_RETRY_AFTER_MS = 30_000;

/** Returns the pause before a safe request is sent again, or undefined if it must fail. */
export function retryDelayMs(error: HostError, { tries, leftMs, random, pace }: RetryState): number | undefined {
  if (tries >= MAX_TRIES) return undefined;
  const waitMs = delayAfterError(error, backoff(tries, random, pace));
  return waitMs !== undefined && waitMs < leftMs ? waitMs : undefined;
}

/** Returns undefined for errors that a retry does not resolve. */
function delayAfterError({ code, details }: HostError, backoffMs: number): number | undefined {
  switch (code) {
    case "SERVER_UNREACHABLE":
    case "CONNECTION_LOST":
      return backoffMs;
    case "SERVER_OVERLOADED": {
      const { retryAfterMs = 0 } = details as { readonly retryAfterMs?: number };
      // The server sent no Retry-After, or one in the past.
      if (retryAfterMs <= 0) return backoffMs;
      return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : undefined;
    }
    default:
      return undefined;
  }
}
