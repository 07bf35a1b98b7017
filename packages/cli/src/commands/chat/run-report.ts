/** Collects the events of a turn into the result that `plugboard run` prints as JSON. Pure. */
import type {
  ChatEvent,
  ChatMessage,
  ChatToolStatus,
  ChatTurnEnd,
  ChatUsage,
  HostErrorJson,
  JsonObject,
} from "@plugboard/contracts";

export interface RunReport {
  readonly outcome: ChatTurnEnd;
  /** The last text of the model. */
  readonly text: string;
  /** `provider/model`. */
  readonly model: string;
  /** The number of requests to the model. */
  readonly steps: number;
  readonly calls: readonly ReportedCall[];
  readonly usage: ChatUsage;
  /** Present if the outcome is `failed`. */
  readonly error?: HostErrorJson;
}

interface ReportedCall {
  /** `server:tool`, or the name that the model used if there is no such tool. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly status: ChatToolStatus;
  /** Absent if the call did not run. */
  readonly durationMs?: number;
}

/** The turn so far. */
export interface RunProgress extends Omit<RunReport, "calls"> {
  /** By call id. */
  readonly calls: ReadonlyMap<string, ReportedCall>;
  readonly isFinished: boolean;
}

/** Also the result of a turn whose message was removed from the queue, so its outcome is `cancelled`. */
export const NOT_STARTED: RunProgress = {
  outcome: "cancelled",
  text: "",
  model: "",
  steps: 0,
  calls: new Map(),
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  isFinished: false,
};

export function applyTurnEvent(progress: RunProgress, event: ChatEvent): RunProgress {
  switch (event.type) {
    case "turn.started":
      return { ...progress, model: event.model };
    case "step.started":
      return { ...progress, steps: event.step };
    case "message.added":
      return event.message.role === "assistant" ? { ...progress, text: textOf(event.message) } : progress;
    case "tool.requested": {
      const { callId, tool, source = tool, args } = event;
      return withCall(progress, callId, { tool: source, args, status: "not_run" });
    }
    case "tool.finished": {
      const { callId, status, durationMs } = event;
      const call = progress.calls.get(callId);
      return call ? withCall(progress, callId, { ...call, status, durationMs }) : progress;
    }
    case "turn.finished": {
      const { reason, usage, error } = event;
      return { ...progress, outcome: reason, usage, ...(error && { error }), isFinished: true };
    }
    default:
      return progress;
  }
}

export function toReport({ outcome, text, model, steps, calls, usage, error }: RunProgress): RunReport {
  return { outcome, text, model, steps, calls: [...calls.values()], usage, ...(error && { error }) };
}

export function textOf({ content }: ChatMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function withCall(progress: RunProgress, callId: string, call: ReportedCall): RunProgress {
  return { ...progress, calls: new Map([...progress.calls, [callId, call]]) };
}
