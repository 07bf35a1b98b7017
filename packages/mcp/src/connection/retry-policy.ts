/**
 * Decides which failed requests are sent again, and when. Only requests that change nothing at the server are safe. A
 * tool call is safe only if its caller says so, never because of the tool's own annotations.
 */
import type { HostError } from "@plugboard/contracts";
import { backoff } from "../lib/backoff.ts";
import type { BackoffOptions } from "../lib/backoff.ts";
import type { Method, Op } from "../session/op.ts";
import type { CallContext } from "../session/session.ts";

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
  const waitMs = delayFor(error, backoff(tries, random, pace));
  return waitMs !== undefined && waitMs < leftMs ? waitMs : undefined;
}

function delayFor({ code, details }: HostError, backoffMs: number): number | undefined {
  switch (code) {
    case "SERVER_UNREACHABLE":
    case "CONNECTION_LOST":
      return backoffMs;
    case "SERVER_OVERLOADED": {
      const { retryAfterMs = 0 } = details as { readonly retryAfterMs?: number };
      // The server names no time, or a time in the past.
      if (retryAfterMs <= 0) return backoffMs;
      return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : undefined;
    }
    default:
      return undefined;
  }
}
