/** Converts messages of the loop to those that front ends get: without the metadata and ids of the model's provider. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { ChatMessage, ChatToolApp, ChatToolResult, Json, JsonObject, ToolResult } from "@plugboard/contracts";
import type { Message, ToolResultPart } from "../loop/message.ts";

export function toChatMessages(messages: readonly Message[]): readonly ChatMessage[] {
  return messages.map(withoutMetadata);
}

export function withoutMetadata(message: Message): ChatMessage {
  switch (message.role) {
    case "tool":
      return { role: "tool", content: message.content.map(toChatResult) };
    case "user":
      return { ...message, content: message.content.map(strip) };
    case "assistant":
      // A provider may withhold the text of a reasoning and send only its signature.
      return {
        ...message,
        content: message.content.filter((part) => part.type !== "reasoning" || part.text !== "").map(strip),
      };
  }
}

export function toChatResult({ view, ...result }: ToolResultPart): ChatToolResult {
  const app = view && parseApp(view);
  return app ? { ...result, app } : result;
}

/** `chat-tools.ts` makes the view. */
function parseApp({ server, tool, uri, result }: JsonObject): ChatToolApp | undefined {
  const isComplete = typeof server === "string" && typeof tool === "string" && typeof uri === "string";
  return isComplete && isToolResult(result) ? { server, tool, uri, result } : undefined;
}

function isToolResult(value: Json | undefined): value is JsonObject & ToolResult {
  return isJsonObject(value) && Array.isArray(value["content"]);
}

function strip<Part extends object>(part: Part): Part {
  const { metadata: _, modelCallId: __, ...rest } = part as Part & { metadata?: unknown; modelCallId?: unknown };
  return rest as unknown as Part;
}
