/**
 * Follows each call from start to end: emits its events, and starts and ends its trace span. Events contain the sizes
 * of arguments and results, but not their content. The reason and the arguments of a failed call are kept in memory.
 */
import {
  CALL_ID_FORM,
  cancelled,
  findOldestOfLargest,
  HostError,
  isCallId,
  isHostError,
  principalIdOf,
} from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { Outcome } from "@plugboard/mcp";
import type { EventLog } from "../activity/event-log.ts";
import type { FailedCalls } from "../activity/failed-calls.ts";
import { estimateJsonBytes } from "../activity/estimate-json-bytes.ts";
import type { Span } from "../activity/operation.ts";
import { describeEnd, traceContextIn } from "../activity/telemetry.ts";
import type { Telemetry } from "../activity/telemetry.ts";
import { isRandomId } from "../lib/random-id.ts";
import type { Call } from "./call.ts";
import { callSubject } from "./call-subject.ts";
import type { FinalOutcome } from "./run-to-completion.ts";

export interface CallTrackerOptions {
  readonly newId: () => string;
  /** Returns milliseconds, for durations only. */
  readonly monotonicNow: () => number;
  readonly emit: EventLog["emitCall"];
  readonly telemetry: Telemetry;
  readonly failedCalls: Pick<FailedCalls, "recordArguments" | "recordError" | "recordResult">;
  readonly clock: Clock;
}

/** The record of a call. If another request continues the call, that request has the same record. */
export class CallRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly argumentBytes: number;
  /** Undefined if no spans are recorded. */
  readonly span: Span | undefined;
  isSent = false;
  /** Times in which the call waited. They do not count as time of the server. */
  startMs = 0;
  queueMs = 0;
  questionMs = 0;
  retryMs = 0;
  isEnded = false;

  constructor(id: string, startedAt: number, argumentBytes: number, span: Span | undefined) {
    this.id = id;
    this.startedAt = startedAt;
    this.argumentBytes = argumentBytes;
    this.span = span;
  }
}

interface SuspendedCall {
  readonly call: Call;
  readonly askedAt: number;
  readonly cancelExpiry: () => void;
}

/** The time after which a suspended call fails. Longer than the deadline of a question. */
const SUSPENDED_TTL_MS = 15 * 60_000;
/** Limits the suspended calls of all principals together. */
const MAX_SUSPENDED = 1000;

export class CallTracker {
  readonly #options: CallTrackerOptions;
  /** The ids that callers have chosen for calls that have not ended. */
  readonly #chosenIds = new Set<string>();
  /** The calls that wait for an answer in another request, by id. Their state is with the client, not at the server. */
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor(options: CallTrackerOptions) {
    this.#options = options;
  }

  /**
   * Records the start of a call, or continues the record of a suspended call. Throws OPTION_INVALID if the caller has
   * chosen an invalid id, or an id that another call may have.
   */
  start(call: Call): void {
    const continued = call.resumed?.call === undefined ? undefined : this.resume(call.resumed.call);
    continued?.permission?.abandon();
    call.record = continued?.record ?? this.#begin(call);
    call.trace = call.record.span?.trace;
    call.timing = call.record;
  }

  /** Records the end of a call. Later calls of `end` have no effect. */
  end(call: Call, final: FinalOutcome): void {
    const { caller, server, tool, record, connection } = call;
    if (record.isEnded) return;
    record.isEnded = true;
    const outcome = withAbortError(final, call);
    if (this.#chosenIds.size > 0) this.#chosenIds.delete(record.id);
    const { monotonicNow, emit } = this.#options;
    const { id, isSent, startMs, queueMs, questionMs, retryMs } = record;
    const failed = outcome.type === "failed";
    const isError = !failed && outcome.result["isError"] === true;
    if (failed || isError) {
      const { failedCalls } = this.#options;
      failedCalls.recordArguments(id, call.arguments, connection?.redactor);
      if (failed) failedCalls.recordError(id, outcome.error);
      else failedCalls.recordResult(id, outcome.result["content"]);
    }
    record.span?.end(describeEnd(outcome));
    emit({
      seq: 0,
      at: 0,
      type: "call.ended",
      call: id,
      caller,
      server,
      tool,
      outcome: outcome.type,
      notSent: isSent ? undefined : true,
      durationMs: wholeMicroseconds(monotonicNow() - record.startedAt),
      startMs: startMs ? wholeMicroseconds(startMs) : undefined,
      queueMs: queueMs ? wholeMicroseconds(queueMs) : undefined,
      questionMs: questionMs ? wholeMicroseconds(questionMs) : undefined,
      retryMs: retryMs ? wholeMicroseconds(retryMs) : undefined,
      isError: isError || undefined,
      schemaMismatch: call.hasSchemaMismatch || undefined,
      code: failed ? outcome.error.code : undefined,
      argumentBytes: record.argumentBytes,
      resultBytes: failed ? undefined : estimateJsonBytes(outcome.result),
    });
  }

  /**
   * Follows an outcome to its end, also across questions of the server. Calls `checkFinal` with the final outcome, and
   * records the outcome that it returns.
   */
  follow(
    outcome: Outcome,
    call: Call,
    checkFinal: (final: FinalOutcome) => FinalOutcome | Promise<FinalOutcome>,
  ): Outcome | Promise<Outcome> {
    const { record } = call;
    switch (outcome.type) {
      case "asks": {
        const { monotonicNow } = this.#options;
        const askedAt = monotonicNow();
        const { portable } = outcome;
        // Another request may continue a call with portable state, but perhaps none ever does.
        if (portable) this.#suspend(call, askedAt);
        const goOn = () => {
          if (!this.resume(record.id)) record.questionMs += monotonicNow() - askedAt;
        };
        return {
          ...outcome,
          ...(portable && { portable: { subject: callSubject(call), ...portable, call: record.id } }),
          resume: async (answers, ctx) => {
            goOn();
            return this.follow(await outcome.resume(answers, ctx), call, checkFinal);
          },
          abandon: (reason) => {
            goOn();
            outcome.abandon(reason);
            this.end(call, { type: "failed", error: cancelled(reason) });
          },
        };
      }
      case "task":
        return {
          ...outcome,
          cancel: () => outcome.cancel(),
          follow: async (ctx) => this.follow(await outcome.follow(ctx), call, checkFinal),
          handOver: () => this.end(call, { type: "complete", result: outcome.task }),
        };
      case "complete":
      case "failed": {
        const checked = checkFinal(outcome);
        return checked instanceof Promise
          ? checked.then((final) => this.#ended(call, final))
          : this.#ended(call, checked);
      }
    }
  }

  /** Returns the suspended call to continue. Returns undefined if the call has ended or is unknown. */
  resume(id: string): Call | undefined {
    const suspended = this.#suspended.get(id);
    if (!suspended) return undefined;
    const { call, askedAt, cancelExpiry } = suspended;
    this.#suspended.delete(id);
    cancelExpiry();
    call.record.questionMs += this.#options.monotonicNow() - askedAt;
    return call;
  }

  close(): void {
    for (const id of [...this.#suspended.keys()]) this.#expire(id, "the host is closing");
  }

  #begin(call: Call): CallRecord {
    const { newId, monotonicNow, emit, telemetry } = this.#options;
    const { server, tool, caller, meta } = call;
    const id = call.chosenId === undefined ? newId() : this.#reserve(call.chosenId);
    const span = telemetry.tracer?.startSpan(
      { side: "client", method: "tools/call", server, tool, caller: caller.kind },
      traceContextIn(meta),
    );
    emit({ seq: 0, at: 0, type: "call.started", call: id, caller, server, tool });
    return new CallRecord(id, monotonicNow(), estimateJsonBytes(call.arguments), span);
  }

  #reserve(id: string): string {
    const problem =
      (!isCallId(id) && `must be ${CALL_ID_FORM}`) ||
      (isRandomId(id) && "can't be 32 hexadecimal digits like the ids that the host makes") ||
      (this.#chosenIds.has(id) && "is that of another call that has not ended");
    if (problem) {
      const reason = `the option "id" (${JSON.stringify(id)}) ${problem}`;
      throw new HostError("OPTION_INVALID", { method: "tools.call", option: "id", reason });
    }
    this.#chosenIds.add(id);
    return id;
  }

  #ended(call: Call, final: FinalOutcome): FinalOutcome {
    this.end(call, final);
    return final;
  }

  /** Fails the call if no later request continues it. */
  #suspend(call: Call, askedAt: number): void {
    const { id } = call.record;
    const cancelExpiry = this.#options.clock.after(SUSPENDED_TTL_MS, () => this.#expire(id, "no request continued it"));
    this.#suspended.set(id, { call, askedAt, cancelExpiry });
    if (this.#suspended.size <= MAX_SUSPENDED) return;
    const oldest = findOldestOfLargest(this.#suspended.values(), (one) => principalIdOf(one.call.caller));
    // If a request continues this call later, it begins a new record.
    if (oldest) this.#expire(oldest.call.record.id, "too many calls wait for an answer");
  }

  #expire(id: string, reason: string): void {
    const call = this.resume(id);
    call?.permission?.abandon();
    if (call) this.end(call, { type: "failed", error: cancelled(reason) });
  }
}

/** Replaces CANCELLED with the error with which the call was aborted, such as the caller's timeout. */
function withAbortError(final: FinalOutcome, { signal }: Call): FinalOutcome {
  if (final.type !== "failed" || final.error.code !== "CANCELLED") return final;
  const reason: unknown = signal?.reason;
  return isHostError(reason) ? { type: "failed", error: reason } : final;
}

/** Rounds to the precision of the journal and the statistics, so that events have exactly the same times. */
function wholeMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
