/** States what becomes of each call: facts for whoever watches and counts, a span for the trace. Never what a call is given or gives. */
import { HostError } from "@plugboard/contracts";
import type { Caller, HostFact } from "@plugboard/contracts";
import type { Clock, Outcome, Trace } from "@plugboard/mcp";
import type { Tracing } from "../activity/tracing.ts";

export interface CallRecordsOptions {
  readonly newId: () => string;
  /** In milliseconds, for durations only. */
  readonly elapsed: () => number;
  readonly state: (fact: HostFact) => void;
  readonly tracing: () => Tracing | undefined;
  readonly clock: Clock;
}

export interface RecordedCall {
  readonly server: string;
  readonly tool: string;
  readonly caller: Caller;
}

export interface CallRecord {
  readonly id: string;
  readonly trace: Trace | undefined;
  /** Once; later ends are none. */
  ended(outcome: Extract<Outcome, { type: "complete" | "failed" }>): void;
}

/** Longer than anybody may take to answer. */
const LET_GO_MS = 15 * 60_000;

export class CallRecords {
  readonly #options: CallRecordsOptions;
  /** Calls that asked something, and that their servers keep nothing for: until somebody goes on with them. */
  readonly #letGo = new Map<string, { readonly record: CallRecord; readonly stopWaiting: () => void }>();

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
      id: call,
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
  /** Nobody may ever come back to it; then it has failed. */
  letGo(record: CallRecord): void {
    const stopWaiting = this.#options.clock.after(LET_GO_MS, () => this.#giveUp(record.id, "nobody went on with it"));
    this.#letGo.set(record.id, { record, stopWaiting });
  }

  /** The call is the same one. Nothing if it is over, or is none of ours. */
  goOn(id: string): CallRecord | undefined {
    const waiting = this.#letGo.get(id);
    this.#letGo.delete(id);
    waiting?.stopWaiting();
    return waiting?.record;
  }

  close(): void {
    for (const id of [...this.#letGo.keys()]) this.#giveUp(id, "the host is closing");
  }

  #giveUp(id: string, reason: string): void {
    this.goOn(id)?.ended({ type: "failed", error: new HostError("CANCELLED", { reason }) });
  }
}
