/** Loads the chats of a host. The agent is imported when the first chat is used. */
import { randomUUID } from "node:crypto";
import type { LoadChatService } from "@plugboard/host/internal";

export const loadChats: LoadChatService = async (host) => {
  const [{ ChatRegistry }, { systemClock }] = await Promise.all([
    import("./chat-registry.ts"),
    import("@plugboard/gateway"),
  ]);
  return new ChatRegistry({ host, clock: systemClock, newId: randomUUID });
};
