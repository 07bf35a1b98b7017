/** Makes the title of a chat from its first message. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ChatMessage } from "@plugboard/contracts";

const MAX_LENGTH = 60;

/** Returns an empty text if no message has text. */
export function chatTitle(messages: readonly ChatMessage[]): string {
  for (const message of messages) {
    if (message.role !== "user" || message.summary) continue;
    const text = message.shownText ?? message.content.findLast((part) => part.type === "text")?.text ?? "";
    const line = sanitizeLine(text.trim().replaceAll(/\s+/g, " "));
    const characters = Array.from(line);
    if (characters.length > 0)
      return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : line;
  }
  return "";
}
