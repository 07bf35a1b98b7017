/**
 * The events of a chat and of its turns, in order. Only the watchers of a chat get them, as the host event
 * `chat.event`.
 */
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ChatInfo, SentInput } from "./chat.ts";
import type { ChatMessage, ChatToolResult, ChatToolStatus, ChatUsage } from "./chat-message.ts";
import type { Progress } from "../workspace/workspace.ts";

export type ChatEvent =
  /** `input`: the id of the message that begins the turn. */
  | { readonly type: "turn.started"; readonly input: string; readonly model: string }
  /** The model gets a request with this number of tools. Steps count from 1. */
  | { readonly type: "step.started"; readonly step: number; readonly tools: number }
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "reasoning.delta"; readonly text: string }
  /** The request failed and is sent again after the delay. The deltas of this step so far are void. */
  | { readonly type: "step.retried"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** The message was added to the history. It contains the text of the deltas before it. */
  | { readonly type: "message.added"; readonly message: ChatMessage }
  /** `source`: the tool as `server:tool`. Absent if no such tool is offered. */
  | {
      readonly type: "tool.requested";
      readonly callId: string;
      readonly tool: string;
      readonly source?: string;
      readonly args: JsonObject;
    }
  | { readonly type: "tool.started"; readonly callId: string; readonly tool: string; readonly source?: string }
  | { readonly type: "tool.progressed"; readonly callId: string; readonly progress: Progress }
  | {
      readonly type: "tool.finished";
      readonly callId: string;
      readonly tool: string;
      readonly status: ChatToolStatus;
      readonly durationMs: number;
      readonly result: ChatToolResult;
    }
  /** `usage`: of one request. `turn`: of all requests of this turn so far. */
  | { readonly type: "usage"; readonly usage: ChatUsage; readonly turn: ChatUsage }
  /** The messages were replaced by fewer, which begin with a summary. */
  | { readonly type: "compacted"; readonly removedMessages: number; readonly messages: readonly ChatMessage[] }
  | {
      readonly type: "turn.finished";
      readonly input: string;
      readonly reason: ChatTurnEnd;
      /** Present if the reason is `failed`. */
      readonly error?: HostErrorJson;
      readonly usage: ChatUsage;
    }
  /** A message waits for the end of the running turn. */
  | { readonly type: "input.queued"; readonly queued: SentInput }
  /** A cancellation has removed messages from the queue, by their ids. */
  | { readonly type: "inputs.removed"; readonly inputs: readonly string[] }
  /** All messages were removed. */
  | { readonly type: "cleared" }
  /** The title, the model, the state or the usage has changed. */
  | { readonly type: "info.changed"; readonly chat: ChatInfo }
  /** The chat was closed or removed by another watcher, or the host stops. */
  | { readonly type: "closed" };

/**
 * `step_limit`, `token_limit`: a limit of the turn. `output_limit`: the model's answer was cut at its maximum length.
 * `refused`: the provider's content filter stopped the answer.
 */
export type ChatTurnEnd = "done" | "cancelled" | "step_limit" | "token_limit" | "output_limit" | "refused" | "failed";
