/**
 * The messages of a chat. Plain JSON, so that a chat can be stored and resumed. Front ends get them without `metadata`
 * and `modelCallId`, which only the history has.
 */
import type { Json, JsonObject } from "../../lib/json.ts";
import type { ToolResult } from "../../protocol/tool.ts";

export type ChatMessage = ChatUserMessage | ChatAssistantMessage | ChatToolMessage;

export interface ChatUserMessage {
  readonly role: "user";
  readonly content: readonly (ChatText | ChatMedia)[];
  /** The message as the user typed it, for people. Absent if nothing is attached to it. */
  readonly shownText?: string;
  /** True if the message is the summary of messages that a compaction has removed. */
  readonly summary?: true;
}

export interface ChatAssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (ChatText | ChatReasoning | ChatToolCall)[];
  /** True if the turn was cancelled before the answer was complete. */
  readonly cancelled?: true;
}

/** The results of all calls of the assistant message before it, in the order of the calls. */
export interface ChatToolMessage {
  readonly role: "tool";
  readonly content: readonly ChatToolResult[];
}

/** Texts of the user have no metadata. */
export interface ChatText {
  readonly type: "text";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

export interface ChatReasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

export interface ChatMedia {
  readonly type: "image" | "audio" | "file";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface ChatToolCall {
  readonly type: "tool_call";
  /** Unique among the calls of all chats. The call has this id in the host, too. */
  readonly callId: string;
  /** The model's own id of the call, which is sent back to it. Absent if it is the `callId`. */
  readonly modelCallId?: string;
  /** The name that the model sees. */
  readonly tool: string;
  /** The tool as `server:tool`, for people. Absent if no such tool is offered. */
  readonly source?: string;
  /** An empty object if the model sent no valid JSON object. The result of the call quotes the invalid text. */
  readonly args: JsonObject;
  readonly metadata?: ProviderMetadata;
}

/** Data of the model's provider, such as the signature of a reasoning. It is sent back unchanged. */
export interface ProviderMetadata {
  readonly [provider: string]: { readonly [name: string]: Json | undefined };
}

export interface ChatToolResult {
  readonly type: "tool_result";
  readonly callId: string;
  readonly tool: string;
  readonly status: ChatToolStatus;
  readonly text: string;
  readonly media?: readonly ChatMedia[];
  /** Present if the tool has an MCP App, and the result is not too large for it. */
  readonly app?: ChatToolApp;
  /** The server and tool that returned the content, which is untrusted. Absent if the text is the program's own. */
  readonly untrusted?: { readonly source: string };
}

/** What the App of a tool needs to show a result of the tool. */
export interface ChatToolApp {
  readonly server: string;
  readonly tool: string;
  /** The `ui://` resource of the view. */
  readonly uri: string;
  readonly result: ToolResult;
}

/**
 * `unknown`: no such tool is offered. `not_run`: the turn ended before the call could start. `cancelled`: the turn was
 * cancelled while the call was running, so it may have taken effect.
 */
export type ChatToolStatus = "ok" | "error" | "denied" | "unknown" | "not_run" | "cancelled";

export interface ChatUsage {
  /** All input tokens, including those that were read from or written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** In US dollars. Absent if the price of a request is unknown. */
  readonly cost?: number;
}

export function totalTokens({ inputTokens, outputTokens }: ChatUsage): number {
  return inputTokens + outputTokens;
}
