/**
 * Removes the metadata and ids of the model's provider from events and messages, before front ends get them. Only the
 * history needs them. Pure.
 */
import type { ChatAssistantMessage, ChatEvent, ChatMessage } from "@plugboard/contracts";

declare const shown: unique symbol;

/** An event or a message that front ends may get. Only the functions of this file make it. */
export type Shown<T> = T & { readonly [shown]: true };

export function showEvent(event: ChatEvent): Shown<ChatEvent> {
  if (event.type === "message.added") return markShown({ ...event, message: showMessage(event.message) });
  if (event.type === "compacted") return markShown({ ...event, messages: event.messages.map(showMessage) });
  return markShown(event);
}

export function showMessage(message: ChatMessage): Shown<ChatMessage> {
  if (message.role !== "assistant") return markShown(message);
  // A provider may withhold the text of a reasoning and send only its signature. Such a part has nothing to show.
  const parts = message.content.filter((part) => part.type !== "reasoning" || part.text !== "");
  return markShown({ ...message, content: parts.map(withoutProviderData) });
}

function withoutProviderData(part: ChatAssistantMessage["content"][number]): typeof part {
  const { metadata: _, ...rest } = part;
  if (rest.type !== "tool_call") return rest;
  const { modelCallId: __, ...call } = rest;
  return call;
}

function markShown<T>(value: T): Shown<T> {
  return value as Shown<T>;
}
