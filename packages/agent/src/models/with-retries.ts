/** Retries requests when the model is overloaded, rate-limited, or its answer breaks off. */
import { isHostError } from "@plugboard/contracts";
import type { Model, ModelPart, ModelRequest } from "../loop/model.ts";

export interface RetryOptions {
  /** How often a request is repeated, by default 5 times. */
  readonly retries?: number;
  readonly clock?: RetryClock;
  /** Jitter for the delay, from 0 to 1. By default `Math.random`. */
  readonly random?: () => number;
}

export interface RetryClock {
  now(): number;
  /** Calls `run` once after the delay. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** A server that refuses connections is probably not running, so it gets fewer retries. */
const RETRIES_UNREACHABLE = 2;
/** A user would rather know than wait longer. */
const MAX_RETRY_AFTER_MS = 60_000;
const INITIAL_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

export function withRetries(
  model: Model,
  { retries = 5, clock = systemClock, random = Math.random }: RetryOptions = {},
): Model {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return yield* model.stream(request);
      } catch (thrown) {
        if (request.signal.aborted || attempt > retries) throw thrown;
        // Any other error would occur again.
        if (!isHostError(thrown) || thrown.code !== "MODEL_UNAVAILABLE") throw thrown;
        const { reason, unreachable, retryAfterMs = backoff(attempt, random()) } = thrown.details;
        if (unreachable && attempt > RETRIES_UNREACHABLE) throw thrown;
        if (retryAfterMs > MAX_RETRY_AFTER_MS) throw thrown;
        yield { type: "retry", attempt, delayMs: retryAfterMs, reason };
        await delay(clock, retryAfterMs, request.signal);
        if (request.signal.aborted) throw thrown;
      }
    }
  }
  return { ...model, stream };
}

/** `random` shortens the delay by up to half. */
function backoff(attempt: number, random: number): number {
  return Math.round(Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** (attempt - 1)) * (1 - random / 2));
}

/** Resolves after the delay, or when the signal is aborted. */
function delay(clock: RetryClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
  });
}

const systemClock: RetryClock = {
  now: () => Date.now(),
  after(ms, run) {
    const timeout = setTimeout(run, ms);
    return () => clearTimeout(timeout);
  },
};
