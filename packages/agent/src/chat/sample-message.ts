/**
 * Answers a sampling request of a server with a model. Converts the request from MCP to the loop's types, and the
 * answer back.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type {
  ChatAssistantMessage,
  ChatMedia,
  ChatMessage,
  ChatText,
  ChatToolCall,
  ChatToolResult,
  ChatUsage,
  Json,
  JsonObject,
} from "@plugboard/contracts";
import { StreamedAnswer } from "../loop/streamed-answer.ts";
import { modelIdOf } from "../loop/history.ts";
import type { FinishReason, Model, ModelRequest } from "../loop/model.ts";
import type { ToolDefinition } from "../loop/tools.ts";
import { withCost } from "../loop/usage.ts";

export interface SampledMessage {
  /** A `CreateMessageResult`. */
  readonly result: JsonObject;
  readonly usage: ChatUsage;
}

/**
 * `request`: the params of `sampling/createMessage`. The model gets nothing but the request: no message of the chat.
 */
export async function sampleMessage(model: Model, request: JsonObject, signal: AbortSignal): Promise<SampledMessage> {
  const answer = new StreamedAnswer(new Set());
  for await (const part of model.stream(toModelRequest(request, signal))) answer.add(part);
  const { finish } = answer;
  if (!finish) throw new HostError("MODEL_FAILED", { model: model.id, reason: "its answer has no end" });
  const result = {
    role: "assistant",
    model: model.id,
    content: toContent(answer.message()),
    ...(STOP_REASONS[finish.reason] !== undefined && { stopReason: STOP_REASONS[finish.reason] }),
  };
  return { result, usage: withCost(finish.usage, model.price) };
}

const STOP_REASONS: { readonly [R in FinishReason]?: string } = {
  stop: "endTurn",
  length: "maxTokens",
  tool_calls: "toolUse",
};

/** Providers accept no empty system prompt. */
const DEFAULT_SYSTEM = "Answer the request of a program that works for the user.";

function toModelRequest(request: JsonObject, signal: AbortSignal): ModelRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools, toolChoice } = request;
  const choice = isJsonObject(toolChoice) ? toolChoice["mode"] : undefined;
  return {
    system: typeof systemPrompt === "string" && systemPrompt !== "" ? systemPrompt : DEFAULT_SYSTEM,
    messages: toMessages(listOf(messages)),
    tools: choice === "none" ? [] : listOf(tools).flatMap(toDefinition),
    ...(choice === "required" && { toolChoice: "required" }),
    ...(typeof maxTokens === "number" && { maxOutputTokens: maxTokens }),
    ...(typeof temperature === "number" && { temperature }),
    ...(Array.isArray(stopSequences) && { stopSequences: stopSequences.filter((one) => typeof one === "string") }),
    signal,
  };
}

function toMessages(messages: readonly Json[]): ChatMessage[] {
  /** The names of called tools, because a result has only the id of its call. */
  const tools = new Map<string, string>();
  return messages.filter(isJsonObject).flatMap(({ role, content }): ChatMessage[] => {
    const blocks = (Array.isArray(content) ? content : [content]).filter(isJsonObject);
    if (role === "assistant") {
      const parts = blocks.map(toAssistantPart);
      for (const part of parts) if (part.type === "tool_call") tools.set(part.callId, part.tool);
      return [{ role, content: parts }];
    }
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => toResult(block, tools));
    const parts = blocks.filter(({ type }) => type !== "tool_result").map(toInputPart);
    return [
      ...(results.length > 0 ? [{ role: "tool", content: results } as const] : []),
      ...(parts.length > 0 ? [{ role: "user", content: parts } as const] : []),
    ];
  });
}

function toAssistantPart(block: JsonObject): ChatText | ChatToolCall {
  const { type, id, name, input } = block;
  if (type !== "tool_use") return toTextPart(block);
  return { type: "tool_call", callId: textOf(id), tool: textOf(name), args: isJsonObject(input) ? input : {} };
}

function toInputPart(block: JsonObject): ChatText | ChatMedia {
  const { type, data, mimeType } = block;
  const isMedia = (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string";
  return isMedia ? { type, data, mimeType } : toTextPart(block);
}

function toTextPart({ type, text }: JsonObject): ChatText {
  return { type: "text", text: typeof text === "string" ? text : `[${textOf(type)}, not shown]` };
}

function toResult({ toolUseId, content, isError }: JsonObject, tools: ReadonlyMap<string, string>): ChatToolResult {
  const callId = textOf(toolUseId);
  const parts = listOf(content).filter(isJsonObject).map(toInputPart);
  const media = parts.filter((part) => part.type !== "text");
  return {
    type: "tool_result",
    callId,
    tool: tools.get(callId) ?? "tool",
    status: isError === true ? "error" : "ok",
    text: parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"),
    ...(media.length > 0 && { media }),
  };
}

function toDefinition(tool: Json): ToolDefinition[] {
  if (!isJsonObject(tool)) return [];
  const { name, description, inputSchema } = tool;
  if (typeof name !== "string" || !isJsonObject(inputSchema)) return [];
  return [{ name, inputSchema, ...(typeof description === "string" && { description }) }];
}

/** Returns one block if the answer is only text, because older revisions accept no list. */
function toContent({ content }: ChatAssistantMessage): Json {
  const calls = content.filter((part) => part.type === "tool_call");
  const text = content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  const texts = text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
  if (calls.length === 0) return texts[0]!;
  return [
    ...texts,
    ...calls.map((call) => ({ type: "tool_use", id: modelIdOf(call), name: call.tool, input: call.args })),
  ];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
