/** Writes messages as text, for the model that summarises them, and estimates their size. Pure. */
import type { ChatMessage, ChatToolResult } from "@plugboard/contracts";
import { wrapUntrusted } from "./mark-untrusted.ts";

export function transcript(messages: readonly ChatMessage[]): string {
  return messages.flatMap(describeMessage).join("\n\n");
}

/** Returns a rough number of tokens, for messages that no request has measured yet. */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  let characters = 0;
  let media = 0;
  for (const { content } of messages) {
    for (const part of content) {
      if ("data" in part) media += 1;
      else if (part.type === "tool_call") characters += part.tool.length + JSON.stringify(part.args).length;
      else characters += part.text.length;
      if (part.type === "tool_result") media += part.media?.length ?? 0;
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + media * TOKENS_PER_MEDIA;
}

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MEDIA = 1500;

/** Longer results are cut: the summary has no room for them, and together they may exceed the context window. */
const RESULT_CHARACTERS = 4000;

function describeMessage(message: ChatMessage): string[] {
  switch (message.role) {
    case "user":
      return message.content.map((part) => `User: ${part.type === "text" ? part.text : `[${part.type}]`}`);
    case "assistant":
      return message.content.flatMap((part) => {
        if (part.type === "reasoning") return [];
        return part.type === "text"
          ? [`Assistant: ${part.text}`]
          : [`Assistant called ${part.tool} with ${JSON.stringify(part.args)}`];
      });
    case "tool":
      return message.content.map(describeResult);
  }
}

function describeResult({ tool, status, text, untrusted }: ChatToolResult): string {
  const short = text.length > RESULT_CHARACTERS ? `${text.slice(0, RESULT_CHARACTERS)}\n[cut]` : text;
  return `Result of ${tool} (${status}): ${untrusted ? wrapUntrusted(short, untrusted.source) : short}`;
}
