/** Writes a message as the user typed it, without attached content. Pure. */
import type { ChatInput } from "./chat.ts";

export function inputText({ text, prompt, resources = [] }: ChatInput): string {
  const command = prompt ? `/${prompt.server}:${prompt.name}` : "";
  const missing = resources.map(({ server, uri }) => `@${server}:${uri}`).filter((mention) => !text.includes(mention));
  return [command, text, ...missing].filter((part) => part !== "").join(" ");
}
