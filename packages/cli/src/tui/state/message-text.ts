/** The text of the user's messages as the transcript shows them. Pure. */
import type { ChatInput } from "@plugboard/contracts";

type Content = readonly { readonly type: string; readonly text?: string | undefined }[];

/** The message as the user typed it. */
export function inputText({ text, prompt, resources = [] }: ChatInput): string {
  const command = prompt ? `/${prompt.server}:${prompt.name}` : "";
  const missing = resources.map(({ server, uri }) => `@${server}:${uri}`).filter((mention) => !text.includes(mention));
  return [command, text, ...missing].filter((part) => part !== "").join(" ");
}

/** Content of servers that was attached to a message is not shown again, only where it comes from. */
export function storedText(content: Content): string {
  const parts = content.map(({ type, text }) => ({ type, text: text?.replace(/:?\s*<untrusted source=[^]*$/, "") }));
  return contentText(parts.filter(({ text }) => text !== ""));
}

export function contentText(content: Content): string {
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}
