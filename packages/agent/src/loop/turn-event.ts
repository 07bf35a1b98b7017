/** The events of a turn, in order. JSON-safe. */
import type { HostErrorJson, JsonObject } from "@plugboard/contracts";
import type { History } from "./history.ts";
import type { Message, ToolResultPart, ToolStatus } from "./message.ts";
import type { Usage } from "./usage.ts";

export type TurnEvent =
  | { readonly type: "turn.started"; readonly model: string }
  /** The model gets a request. Steps count from 1. */
  | { readonly type: "step.started"; readonly step: number; readonly tools: number }
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "reasoning.delta"; readonly text: string }
  /** The request failed and is sent again after the delay. The deltas of this step so far are void. */
  | { readonly type: "step.retried"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** The message was added to the history. A store that appends these messages can resume the conversation. */
  | { readonly type: "message.added"; readonly message: Message }
  | { readonly type: "tool.requested"; readonly callId: string; readonly tool: string; readonly args: JsonObject }
  | { readonly type: "tool.started"; readonly callId: string; readonly tool: string; readonly source?: string }
  | {
      readonly type: "tool.finished";
      readonly callId: string;
      readonly tool: string;
      readonly status: ToolStatus;
      readonly durationMs: number;
      readonly result: ToolResultPart;
    }
  /** `usage`: of one request. `turn`: of all requests of this turn so far. */
  | { readonly type: "usage"; readonly usage: Usage; readonly turn: Usage }
  /** The history was replaced by a shorter one, which begins with a summary. */
  | { readonly type: "compacted"; readonly removedMessages: number; readonly history: History }
  | TurnFinished;

export interface TurnFinished {
  readonly type: "turn.finished";
  readonly reason: TurnEnd;
  /** Present if the reason is `failed`. */
  readonly error?: HostErrorJson;
  readonly usage: Usage;
  /** The conversation after the turn. Every call in it has a result, whatever the reason. */
  readonly history: History;
}

/**
 * `step_limit`, `token_limit`: a limit of the turn. `output_limit`: the model's answer was cut at its maximum length.
 * `refused`: the provider's content filter stopped the answer.
 */
export type TurnEnd = "done" | "cancelled" | "step_limit" | "token_limit" | "output_limit" | "refused" | "failed";
