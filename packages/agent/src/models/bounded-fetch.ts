/**
 * Wraps `fetch` for requests to a model. Limits the size of an answer, ends the request when it is cancelled, and
 * follows no redirect.
 */
import { HostError } from "@plugboard/contracts";

export interface AnswerBounds {
  readonly answerBytes: number;
  /** The size of one line. The SDKs keep a line in memory until its end arrives. */
  readonly lineBytes: number;
}

const MIB = 1024 * 1024;
const DEFAULT_BOUNDS: AnswerBounds = { answerBytes: 64 * MIB, lineBytes: 8 * MIB };

/** Reading the body of a larger answer fails with MODEL_FAILED. `model`: the model's id, for the error. */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  model: string,
  bounds: AnswerBounds = DEFAULT_BOUNDS,
): typeof globalThis.fetch {
  return async (input, init) => {
    // `fetch` sends custom headers, such as `x-api-key`, to the target of a redirect, also at another origin.
    const response = await fetch(input, { ...init, redirect: "error" });
    if (!response.body) return response;
    const body = boundedBody(response.body, new AnswerMeter(model, bounds), init?.signal ?? undefined);
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

/**
 * Cancels `source` when the signal is aborted. `fetch` itself holds the signal only weakly, so that it can miss the
 * abort after a garbage collection, and the provider would go on with the answer.
 */
function boundedBody(
  source: ReadableStream<Uint8Array>,
  meter: AnswerMeter,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let onAbort = () => {};
  const release = () => signal?.removeEventListener("abort", onAbort);
  const cancel = async (reason: unknown) => {
    release();
    // A body that has failed rejects, and its reader already has the error.
    await reader.cancel(reason).catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          controller.error(signal?.reason);
          void cancel(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort);
        if (signal?.aborted) onAbort();
      },
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (signal?.aborted) return;
          if (done) {
            release();
            return controller.close();
          }
          meter.add(value);
          controller.enqueue(value);
        } catch (thrown) {
          if (signal?.aborted) return;
          controller.error(thrown);
          await cancel(thrown);
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

const LINE_FEED = 10;

/** Counts the bytes of an answer and of its current line. */
class AnswerMeter {
  readonly #model: string;
  readonly #bounds: AnswerBounds;
  #answer = 0;
  #line = 0;

  constructor(model: string, bounds: AnswerBounds) {
    this.#model = model;
    this.#bounds = bounds;
  }

  /** Throws MODEL_FAILED if the answer or a line is too long. Does not check lines that begin and end in one chunk. */
  add(chunk: Uint8Array): void {
    const { answerBytes, lineBytes } = this.#bounds;
    const lineEnd = chunk.indexOf(LINE_FEED);
    if (this.#line + (lineEnd === -1 ? chunk.length : lineEnd) > lineBytes)
      throw this.#tooLarge(`a line of its answer is longer than ${lineBytes} bytes`);
    this.#answer += chunk.length;
    if (this.#answer > answerBytes) throw this.#tooLarge(`its answer is larger than ${answerBytes} bytes`);
    this.#line = lineEnd === -1 ? this.#line + chunk.length : chunk.length - 1 - chunk.lastIndexOf(LINE_FEED);
  }

  #tooLarge(reason: string): HostError {
    return new HostError("MODEL_FAILED", { model: this.#model, reason });
  }
}
