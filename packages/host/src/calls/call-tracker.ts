/** States what becomes of each call: facts for whoever watches and counts, a span for the trace. Never what a call is given or gives. */
import { cancelled } from "@plugboard/contracts";
import type { Caller, HostEventData } from "@plugboard/contracts";
import type { Clock, Outcome, TraceContext } from "@plugboard/mcp";
import type { CallTracer } from "../activity/call-tracer.ts";

export interface CallTrackerOptions {
  readonly newId: () => string;
  /** In milliseconds, for durations only. */
  readonly monotonicNow: () => number;
  readonly emit: (event: HostEventData) => void;
  readonly tracing: () => CallTracer | undefined;
  readonly clock: Clock;
}

export interface CallIdentity {
  readonly server: string;
  readonly tool: string;
  readonly caller: Caller;
}

export interface ActiveCall {
  readonly id: string;
  readonly trace: TraceContext | undefined;
  /** Once; later ends are none. */
  end(outcome: Extract<Outcome, { type: "complete" | "failed" }>): void;
}

/** Longer than anybody may take to answer. */
const SUSPENDED_TTL_MS = 15 * 60_000;

export class CallTracker {
  readonly #options: CallTrackerOptions;
  /** Calls that asked something, and that their servers keep nothing for: until somebody goes on with them. */
  readonly #suspended = new Map<string, { readonly record: ActiveCall; readonly stopWaiting: () => void }>();

  constructor(options: CallTrackerOptions) {
    this.#options = options;
  }

  start({ server, tool, caller }: CallIdentity): ActiveCall {
    const { newId, monotonicNow, emit, tracing } = this.#options;
    const call = newId();
    const startedAt = monotonicNow();
    const span = tracing()?.startSpan({ method: "tools/call", server, tool, caller: caller.kind });
    emit({ type: "call.started", call, caller, server, tool });
    let over = false;
    return {
      id: call,
      trace: span?.trace,
      end: (outcome) => {
        if (over) return;
        over = true;
        const code = outcome.type === "failed" ? outcome.error.code : undefined;
        const isError = outcome.type === "complete" && outcome.result["isError"] === true;
        span?.end({ code: code ?? (isError ? "tool_error" : undefined) });
        emit({
          type: "call.ended",
          call,
          caller,
          server,
          tool,
          outcome: outcome.type,
          durationMs: monotonicNow() - startedAt,
          ...(isError && { isError }),
          ...(code && { code }),
        });
      },
    };
  }
  /** Nobody may ever come back to it; then it has failed. */
  suspend(active: ActiveCall): void {
    const stopWaiting = this.#options.clock.after(SUSPENDED_TTL_MS, () =>
      this.#expire(active.id, "nobody went on with it"),
    );
    this.#suspended.set(active.id, { record: active, stopWaiting });
  }

  /** The call is the same one. Nothing if it is over, or is none of ours. */
  resume(id: string): ActiveCall | undefined {
    const waiting = this.#suspended.get(id);
    this.#suspended.delete(id);
    waiting?.stopWaiting();
    return waiting?.record;
  }

  close(): void {
    for (const id of [...this.#suspended.keys()]) this.#expire(id, "the host is closing");
  }

  #expire(id: string, reason: string): void {
    this.resume(id)?.end({ type: "failed", error: cancelled(reason) });
  }
}
