/** The interface to the chats of a host. The daemon implements it with the agent, and the host binds it to callers. */
import { buildApi, callMethod, CHAT_METHODS, requireRight } from "@plugboard/contracts";
import type { Caller, ChatMethodPath, Chats } from "@plugboard/contracts";
import type { ModelPort } from "../calls/sampling.ts";
import type { Host } from "./host.ts";
import type { OpenWorkspace } from "../workspace/open-workspace.ts";

export interface ChatService {
  /** The number of chats that are open, or closed but still finishing their last turn. */
  readonly openChats: number;
  /** Returns the methods for one caller, which is a user's front end. */
  for(caller: Caller): Chats;
  /**
   * Returns the workspace of an open chat. Throws NOT_FOUND for any other id. Throws FORBIDDEN if the caller may not
   * use the tools of the workspace.
   */
  workspace(chat: string, caller: Caller): OpenWorkspace;
  /** Returns the model of an open chat, for sampling requests of servers. */
  modelOf(chat: string): ModelPort | undefined;
  /** Ends all turns and stores the chats. */
  close(): Promise<void>;
}

/** Loads the service when the first chat is used, so that a host without chats need not load the agent. */
export type LoadChatService = (host: Host) => Promise<ChatService>;

/** Returns the methods for a caller. Each use of a method calls `service`. */
export function bindChats(caller: Caller, service: () => Promise<ChatService>): Chats {
  const methodAt =
    (path: ChatMethodPath) =>
    async (...args: readonly unknown[]) => {
      // Checks only the right of the method itself. The daemon has checked the rights that depend on the arguments,
      // before it added the workspace that its port serves.
      requireRight(caller, CHAT_METHODS[path].right);
      return callMethod({ chats: (await service()).for(caller) }, path, args);
    };
  return buildApi(CHAT_METHODS, methodAt).chats;
}
