/** Loads the chats of a host. The agent is imported when the first chat is used. */
import { randomUUID } from "node:crypto";
import { systemClock } from "@plugboard/contracts";
import type { LoadChatService } from "@plugboard/host/core";

export const loadChats: LoadChatService = async (host) => {
  const { ChatRegistry } = await import("./chat-registry.ts");
  return new ChatRegistry({ host, clock: systemClock, newId: randomUUID });
};
