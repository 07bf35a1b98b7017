/**
 * What may be sent a second time without anybody asking for it. Only what
 * changes nothing at the server; a tool's call is among it only if whoever makes
 * it says so, never because of what the server says of the tool. Pure.
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

/** The answer to a question is given once. */
export function isRetryable({ method, params }: Op, { retryable = false }: Pick<CallContext, "retryable">): boolean {
  const safe = SAFE_METHODS.has(method) || (method === "tools/call" && retryable);
  return safe && !("resumed" in params && params.resumed);
}

export interface RetryState {
  /** How often it was sent. */
  readonly tries: number;
  /** What is left of the time it may take in all. */
  readonly leftMs: number;
  /** From 0 to 1; spreads those who were refused together. */
  readonly random: number;
  readonly pace?: BackoffOptions;
}

const MAX_TRIES = 4;
/** Who wants to be left alone for longer is not waited for. */
const MAX_RETRY_AFTER_MS = 30_000;

/** How long to wait before a safe request is sent again; nothing if it has failed for good. */
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
      // One that names no time, or one that has passed, leaves it to us.
      if (retryAfterMs <= 0) return backoffMs;
      return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : undefined;
    }
    default:
      return undefined;
  }
}
