/** The messages of a conversation. Plain JSON, so that a conversation can be stored and resumed. */
import type { Json, JsonObject } from "@plugboard/contracts";

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | MediaPart)[];
  /** True if the message is the summary of messages that a compaction has removed. */
  readonly summary?: true;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  /** True if the turn was cancelled before the answer was complete. */
  readonly cancelled?: true;
}

/** The results of all calls of the assistant message before it, in the order of the calls. */
export interface ToolMessage {
  readonly role: "tool";
  readonly content: readonly ToolResultPart[];
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly metadata?: PartMetadata;
}

export interface MediaPart {
  readonly type: "image" | "audio" | "file";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: PartMetadata;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  /** Unique among the calls of all conversations. The call has this id in the host, too. */
  readonly callId: string;
  /** The model's own id of the call, which is sent back to it. Absent if it is the `callId`. */
  readonly modelCallId?: string;
  readonly tool: string;
  /** An empty object if the model sent no valid JSON object. The result of the call quotes the invalid text. */
  readonly args: JsonObject;
  readonly metadata?: PartMetadata;
}

export interface ToolResultPart {
  readonly type: "tool_result";
  readonly callId: string;
  readonly tool: string;
  readonly status: ToolStatus;
  readonly text: string;
  readonly media?: readonly MediaPart[];
  /** What a front end can show instead of the text. The model does not get it. */
  readonly view?: JsonObject;
  /** The server and tool that returned the content, which is untrusted. Absent if the text is the program's own. */
  readonly untrusted?: { readonly source: string };
}

/**
 * `unknown`: no such tool is offered. `not_run`: the turn ended before the call could start. `cancelled`: the turn was
 * cancelled while the call was running, so it may have taken effect.
 */
export type ToolStatus = "ok" | "error" | "denied" | "unknown" | "not_run" | "cancelled";

/** Data of the model's provider, such as the signature of a reasoning. It is sent back unchanged. */
export type PartMetadata = { readonly [provider: string]: { readonly [name: string]: Json | undefined } };
