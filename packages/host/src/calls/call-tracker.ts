/**
 * Follows each call from start to end: emits its events, and starts and ends its trace span. Records neither arguments
 * nor results, but their sizes. Of a failed call, the reason and the arguments are kept in memory.
 */
import { cancelled } from "@plugboard/contracts";
import type { Caller, HostEvent, HostEventData, JsonObject } from "@plugboard/contracts";
import type { Clock, Outcome, Redactor, TraceContext } from "@plugboard/mcp";
import type { FailedCalls } from "../activity/failed-calls.ts";
import { estimateJsonBytes } from "../activity/estimate-json-bytes.ts";
import type { Telemetry } from "../activity/telemetry.ts";
import type { FinalOutcome } from "./run-to-completion.ts";

export interface CallTrackerOptions {
  readonly newId: () => string;
  /** Returns milliseconds, for durations only. */
  readonly monotonicNow: () => number;
  readonly emit: (event: HostEventData) => void;
  readonly telemetry: Telemetry;
  readonly failedCalls: Pick<FailedCalls, "recordArguments" | "recordError" | "recordResult">;
  readonly clock: Clock;
}

export interface CallIdentity {
  readonly server: string;
  readonly tool: string;
  readonly caller: Caller;
  readonly arguments: JsonObject;
  /** Masks the secrets of the server's definition. */
  readonly redactor?: Redactor | undefined;
  /** The trace context that came with the request of the caller. */
  readonly parent?: TraceContext | undefined;
}

export interface ActiveCall {
  readonly id: string;
  readonly trace: TraceContext | undefined;
  /** The parts of its duration that are not the server's, see `call.ended`. */
  queueMs: number;
  questionMs: number;
  retryMs: number;
  /** Records the end of the call. Later calls of `end` have no effect. */
  end(outcome: FinalOutcome): void;
}

interface SuspendedCall {
  readonly active: ActiveCall;
  readonly askedAt: number;
  readonly cancelExpiry: () => void;
}

/** The time after which a suspended call fails. Longer than the deadline of a question. */
const SUSPENDED_TTL_MS = 15 * 60_000;

export class CallTracker {
  readonly #options: CallTrackerOptions;
  /** By id, the calls that wait for an answer, without state at the server. Another request continues them. */
  readonly #suspended = new Map<string, SuspendedCall>();

  /** By the id of the call, the time that a person took to permit it. */
  readonly #permissionMs = new Map<string, number>();

  constructor(options: CallTrackerOptions) {
    this.#options = options;
  }

  /** The permission question of a call is always settled before the call ends. */
  onQuestionSettled({ question, at }: Extract<HostEvent, { type: "question.settled" }>): void {
    if (question.type !== "permission") return;
    const { call, askedAt } = question;
    this.#permissionMs.set(call, (this.#permissionMs.get(call) ?? 0) + at - askedAt);
  }

  start({ server, tool, caller, arguments: args, redactor, parent }: CallIdentity): ActiveCall {
    const { newId, monotonicNow, emit, telemetry, failedCalls } = this.#options;
    const call = newId();
    const argumentBytes = estimateJsonBytes(args);
    const startedAt = monotonicNow();
    const operation = telemetry.start(
      { side: "client", method: "tools/call", server, tool, caller: caller.kind },
      parent,
    );
    emit({ type: "call.started", call, caller, server, tool });
    let ended = false;
    const active: ActiveCall = {
      id: call,
      trace: operation.trace,
      queueMs: 0,
      questionMs: 0,
      retryMs: 0,
      end: (outcome) => {
        if (ended) return;
        ended = true;
        if (this.#permissionMs.size > 0) this.#addPermissionTime(active);
        const failed = outcome.type === "failed";
        const isError = !failed && outcome.result["isError"] === true;
        if (failed || isError) failedCalls.recordArguments(call, args, redactor);
        if (failed) failedCalls.recordError(call, outcome.error);
        else if (isError) failedCalls.recordResult(call, outcome.result["content"]);
        operation.end(outcome);
        emit({
          type: "call.ended",
          call,
          caller,
          server,
          tool,
          outcome: outcome.type,
          durationMs: monotonicNow() - startedAt,
          queueMs: active.queueMs || undefined,
          questionMs: active.questionMs || undefined,
          retryMs: active.retryMs || undefined,
          isError: isError || undefined,
          code: failed ? outcome.error.code : undefined,
          argumentBytes,
          resultBytes: failed ? undefined : estimateJsonBytes(outcome.result),
        });
      },
    };
    return active;
  }

  /**
   * Follows an outcome to its end, also across questions of the server. Calls `checkFinal` with the final outcome, and
   * records the outcome that it returns.
   */
  follow(
    outcome: Outcome,
    active: ActiveCall,
    checkFinal: (final: FinalOutcome) => FinalOutcome | Promise<FinalOutcome>,
  ): Outcome | Promise<Outcome> {
    switch (outcome.type) {
      case "asks": {
        const { monotonicNow } = this.#options;
        const askedAt = monotonicNow();
        const { portable } = outcome;
        // A call with portable state may be continued by another request, or never.
        if (portable) this.#suspend(active, askedAt);
        return {
          ...outcome,
          ...(portable && { portable: { ...portable, call: active.id } }),
          resume: async (answers, ctx) => {
            if (!this.resume(active.id)) active.questionMs += monotonicNow() - askedAt;
            return this.follow(await outcome.resume(answers, ctx), active, checkFinal);
          },
          abandon: (reason) => {
            if (!this.resume(active.id)) active.questionMs += monotonicNow() - askedAt;
            outcome.abandon(reason);
            active.end({ type: "failed", error: cancelled(reason) });
          },
        };
      }
      case "task":
        return {
          ...outcome,
          cancel: () => outcome.cancel(),
          follow: async (ctx) => this.follow(await outcome.follow(ctx), active, checkFinal),
          handOver: () => active.end({ type: "complete", result: outcome.task }),
        };
      case "complete":
      case "failed": {
        const checked = checkFinal(outcome);
        return checked instanceof Promise ? checked.then((final) => end(active, final)) : end(active, checked);
      }
    }
  }

  /** Returns the suspended call to continue. Returns undefined if the call has ended or is unknown. */
  resume(id: string): ActiveCall | undefined {
    const suspended = this.#suspended.get(id);
    if (!suspended) return undefined;
    const { active, askedAt, cancelExpiry } = suspended;
    this.#suspended.delete(id);
    cancelExpiry();
    active.questionMs += this.#options.monotonicNow() - askedAt;
    return active;
  }

  close(): void {
    for (const id of [...this.#suspended.keys()]) this.#expire(id, "the host is closing");
  }

  /** Fails the call if no later request continues it. */
  #suspend(active: ActiveCall, askedAt: number): void {
    const cancelExpiry = this.#options.clock.after(SUSPENDED_TTL_MS, () =>
      this.#expire(active.id, "no request continued it"),
    );
    this.#suspended.set(active.id, { active, askedAt, cancelExpiry });
  }

  #addPermissionTime(active: ActiveCall): void {
    active.questionMs += this.#permissionMs.get(active.id) ?? 0;
    this.#permissionMs.delete(active.id);
  }

  #expire(id: string, reason: string): void {
    this.resume(id)?.end({ type: "failed", error: cancelled(reason) });
  }
}

function end(active: ActiveCall, final: FinalOutcome): FinalOutcome {
  active.end(final);
  return final;
}
