/** Turns a typed text into a message for the chat. Pure. */
import type { ChatInput } from "@plugboard/contracts";

/** `@server:uri` attaches a resource, if there is such a server. `//` begins a message with a slash. */
export function parseChatInput(typed: string, servers: readonly string[]): ChatInput {
  const text = typed.startsWith("//") ? typed.slice(1) : typed;
  const resources = Array.from(text.matchAll(/(?:^|\s)@([a-zA-Z0-9_-]{1,64}):(\S+)/g)).flatMap(
    ([, server = "", uri = ""]) => (servers.includes(server) ? [{ server, uri }] : []),
  );
  return { text, ...(resources.length > 0 && { resources }) };
}
