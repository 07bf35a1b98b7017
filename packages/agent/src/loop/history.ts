/** A conversation as plain JSON: it can be stored at any time and resumed by another process. Pure. */
import type {
  ChatAssistantMessage,
  ChatMedia,
  ChatMessage,
  ChatText,
  ChatToolCall,
  ChatToolResult,
  ChatUsage,
} from "@plugboard/contracts";
import { NO_USAGE } from "./usage.ts";

export interface History {
  readonly messages: readonly ChatMessage[];
  /** The names of all tools offered so far, in the order in which the model got them. Keeps prompt caches valid. */
  readonly toolOrder: readonly string[];
  /** The usage of the whole conversation. */
  readonly usage: ChatUsage;
  /** The size of the last request and its answer, and how many messages they contained. */
  readonly measured: { readonly tokens: number; readonly messages: number };
}

export const EMPTY_HISTORY: History = {
  messages: [],
  toolOrder: [],
  usage: NO_USAGE,
  measured: { tokens: 0, messages: 0 },
};

export function addMessage(history: History, message: ChatMessage): History {
  return { ...history, messages: [...history.messages, message] };
}

export function userMessage(prompt: string | readonly (ChatText | ChatMedia)[], shownText?: string): ChatMessage {
  const content = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt;
  return { role: "user", content, ...(shownText !== undefined && { shownText }) };
}

/** Returns the calls of the last message, which have no results yet. */
export function openCalls({ messages }: History): readonly ChatToolCall[] {
  const last = messages.at(-1);
  return last?.role === "assistant" ? callsOf(last) : [];
}

export function callsOf({ content }: ChatAssistantMessage): readonly ChatToolCall[] {
  return content.filter((part) => part.type === "tool_call");
}

/** Returns the id by which the model knows the call. */
export function modelIdOf({ callId, modelCallId = callId }: ChatToolCall): string {
  return modelCallId;
}

/** Adds results for calls without one, which providers reject. Returns the same object if all calls have a result. */
export function closeOpenCalls(history: History): History {
  const calls = openCalls(history);
  return calls.length === 0 ? history : addMessage(history, { role: "tool", content: calls.map(interruptedResult) });
}

/** The result of a call whose process ended before the call did. */
export function interruptedResult({ callId, tool }: ChatToolCall): ChatToolResult {
  const text = "The program ended before this call had a result. It may have taken effect; check before you repeat it.";
  return { type: "tool_result", callId, tool, status: "cancelled", text };
}
