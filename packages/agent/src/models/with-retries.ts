/** Retries requests when the model is overloaded, rate-limited, or its answer breaks off. */
import { abortableDelay, backoff, isHostError, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { Model, ModelPart, ModelRequest } from "../loop/model.ts";

export interface RetryOptions {
  /** How often a request is repeated, by default 5 times. */
  readonly retries?: number;
  readonly clock?: Clock;
  /** Jitter for the delay, from 0 to 1. By default `Math.random`. */
  readonly random?: () => number;
}

/** A server that refuses connections is probably not running, so it gets fewer retries. */
const RETRIES_UNREACHABLE = 2;
/** If the provider asks for a longer delay, the request fails, so that the user learns it. */
const MAX_RETRY_AFTER_MS = 60_000;

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
        await abortableDelay(clock, retryAfterMs, [request.signal]);
        if (request.signal.aborted) throw thrown;
      }
    }
  }
  return { ...model, stream };
}
