/**
 * What may be sent a second time without anybody asking for it. Only what
 * changes nothing at the server; a tool's call is among it only if whoever makes
 * it says so, never because of what the server says of the tool. Pure.
 */
import type { HostError } from "@plugboard/contracts";
import { backoff } from "../backoff.ts";
import type { Pace } from "../backoff.ts";
import type { Method, Op } from "../dialect/op.ts";
import type { CallContext } from "../dialect/session.ts";

const SAFE: ReadonlySet<Method> = new Set<Method>([
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
export function mayRepeat({ method, params }: Op, { repeatable = false }: Pick<CallContext, "repeatable">): boolean {
  const safe = SAFE.has(method) || (method === "tools/call" && repeatable);
  return safe && !("resumed" in params && params.resumed);
}

export interface Tried {
  /** How often it was sent. */
  readonly tries: number;
  /** What is left of the time it may take in all. */
  readonly leftMs: number;
  /** From 0 to 1; spreads those who were refused together. */
  readonly random: number;
  readonly pace?: Pace;
}

const MAX_TRIES = 4;
/** Who wants to be left alone for longer is not waited for. */
const LONGEST_RETRY_AFTER_MS = 30_000;

/** How long to wait before a safe request is sent again; nothing if it has failed for good. */
export function repeatAfter(error: HostError, { tries, leftMs, random, pace }: Tried): number | undefined {
  if (tries >= MAX_TRIES) return undefined;
  const waitMs = waitAfter(error, backoff(tries, random, pace));
  return waitMs !== undefined && waitMs < leftMs ? waitMs : undefined;
}

function waitAfter({ code, details }: HostError, pauseMs: number): number | undefined {
  switch (code) {
    case "SERVER_UNREACHABLE":
    case "CONNECTION_LOST":
      return pauseMs;
    case "SERVER_OVERLOADED": {
      const { retryAfterMs = 0 } = details as { readonly retryAfterMs?: number };
      // One that names no time, or one that has passed, leaves it to us.
      if (retryAfterMs <= 0) return pauseMs;
      return retryAfterMs <= LONGEST_RETRY_AFTER_MS ? retryAfterMs : undefined;
    }
    default:
      return undefined;
  }
}
