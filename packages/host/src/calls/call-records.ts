/** States what becomes of each call: facts for whoever watches and counts, a span for the trace. Never what a call is given or gives. */
import type { Caller, HostFact } from "@plugboard/contracts";
import type { Outcome, Trace } from "@plugboard/mcp";
import type { Tracing } from "../activity/tracing.ts";

export interface CallRecordsOptions {
  readonly newId: () => string;
  /** In milliseconds, for durations only. */
  readonly elapsed: () => number;
  readonly state: (fact: HostFact) => void;
  readonly tracing: () => Tracing | undefined;
}

export interface RecordedCall {
  readonly server: string;
  readonly tool: string;
  readonly caller: Caller;
}

export interface CallRecord {
  readonly trace: Trace | undefined;
  /** Once; later ends are none. */
  ended(outcome: Extract<Outcome, { type: "complete" | "failed" }>): void;
}

export class CallRecords {
  readonly #options: CallRecordsOptions;

  constructor(options: CallRecordsOptions) {
    this.#options = options;
  }

  begin({ server, tool, caller }: RecordedCall): CallRecord {
    const { newId, elapsed, state, tracing } = this.#options;
    const call = newId();
    const began = elapsed();
    const span = tracing()?.span({ method: "tools/call", server, tool, caller: caller.kind });
    state({ type: "call.started", call, caller, server, tool });
    let over = false;
    return {
      trace: span?.trace,
      ended: (outcome) => {
        if (over) return;
        over = true;
        const code = outcome.type === "failed" ? outcome.error.code : undefined;
        const isError = outcome.type === "complete" && outcome.result["isError"] === true;
        span?.end({ code: code ?? (isError ? "tool_error" : undefined) });
        state({
          type: "call.ended",
          call,
          caller,
          server,
          tool,
          outcome: outcome.type,
          durationMs: elapsed() - began,
          ...(isError && { isError }),
          ...(code && { code }),
        });
      },
    };
  }
}
