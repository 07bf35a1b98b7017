/** Converts a request of the loop to the options of the AI SDK. Pure. */
import type {
  ChatAssistantMessage,
  ChatMedia,
  ChatMessage,
  ChatToolMessage,
  ChatToolResult,
} from "@plugboard/contracts";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider";
import { callsOf, modelIdOf } from "../loop/history.ts";
import type { ModelRequest } from "../loop/model.ts";
import { setCacheBreakpoints } from "./cache-breakpoints.ts";
import type { Provider } from "./providers.ts";

export function toCallOptions(request: ModelRequest, wire: Provider["wire"]): LanguageModelV3CallOptions {
  const { messages, tools, toolChoice = "auto", maxOutputTokens, temperature, stopSequences } = request;
  const calls = messages.flatMap((message) => (message.role === "assistant" ? callsOf(message) : []));
  const context = { wire, modelIds: new Map(calls.map((call) => [call.callId, modelIdOf(call)])) };
  const options: LanguageModelV3CallOptions = {
    prompt: [
      { role: "system", content: request.system },
      ...messages.flatMap((message) => toSdkMessages(message, context)),
    ],
    abortSignal: request.signal,
    ...(tools.length > 0 && { tools: toSdkTools(request), toolChoice: { type: toolChoice } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    // The history is sent with every request, so the provider need not store it.
    ...(wire === "responses" && { providerOptions: { openai: { store: false } } }),
  };
  return wire === "messages" ? setCacheBreakpoints(options) : options;
}

interface PromptContext {
  readonly wire: Provider["wire"];
  /** The ids by which the model knows its calls, by call id. */
  readonly modelIds: ReadonlyMap<string, string>;
}

function toSdkTools({ tools }: ModelRequest): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    inputSchema: inputSchema as LanguageModelV3FunctionTool["inputSchema"],
    ...(description !== undefined && { description }),
  }));
}

function toSdkMessages(message: ChatMessage, context: PromptContext): LanguageModelV3Message[] {
  switch (message.role) {
    case "user":
      return [
        {
          role: "user",
          content: message.content.map((part) => (part.type === "text" ? textPart(part.text) : mediaPart(part))),
        },
      ];
    case "assistant":
      return [{ role: "assistant", content: message.content.map(toSdkPart) }];
    case "tool":
      return toSdkResults(message, context);
  }
}

function toSdkPart(part: ChatAssistantMessage["content"][number]) {
  const options = part.metadata && { providerOptions: part.metadata };
  if (part.type !== "tool_call") return { type: part.type, text: part.text, ...options };
  return { type: "tool-call" as const, toolCallId: modelIdOf(part), toolName: part.tool, input: part.args, ...options };
}

/** Chat Completions accepts only text as a result, so images follow in a message of the user. */
function toSdkResults({ content }: ChatToolMessage, { wire, modelIds }: PromptContext): LanguageModelV3Message[] {
  const results = content.map((part) => ({
    type: "tool-result" as const,
    toolCallId: modelIds.get(part.callId) ?? part.callId,
    toolName: part.tool,
    output: toOutput(part, wire),
  }));
  const images = wire === "chat" ? content.flatMap((part) => imagesOf(part).map((image) => ({ image, part }))) : [];
  const following = images.flatMap(({ image, part }) => [
    textPart(`Image in the result of ${part.tool} (untrusted content):`),
    mediaPart(image),
  ]);
  return [
    { role: "tool", content: results },
    ...(following.length > 0 ? [{ role: "user" as const, content: following }] : []),
  ];
}

function toOutput(part: ChatToolResult, wire: Provider["wire"]): LanguageModelV3ToolResultOutput {
  const hidden = (part.media ?? []).filter(({ type }) => type !== "image");
  const text = [part.text, ...hidden.map(({ type, mimeType }) => `[${type}, ${mimeType}, not shown]`)].join("\n");
  if (part.status !== "ok") return { type: "error-text", value: text };
  const images = wire === "chat" ? [] : imagesOf(part);
  if (images.length === 0) return { type: "text", value: text };
  const imageParts = images.map(({ data, mimeType }) => ({ type: "image-data" as const, data, mediaType: mimeType }));
  return { type: "content", value: [{ type: "text", text }, ...imageParts] };
}

function imagesOf({ status, media = [] }: ChatToolResult): readonly ChatMedia[] {
  return status === "ok" ? media.filter(({ type }) => type === "image") : [];
}

function textPart(text: string): LanguageModelV3TextPart {
  return { type: "text", text };
}

function mediaPart({ data, mimeType }: ChatMedia): LanguageModelV3FilePart {
  return { type: "file", data, mediaType: mimeType };
}
