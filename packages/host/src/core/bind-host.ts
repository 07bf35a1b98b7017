/** Binds the host to one caller: gives it workspaces of its own, the events that it may see, and its chats. */
import { grantOf, holderOf, requireRight, sameCaller } from "@plugboard/contracts";
import type { Caller, Chats, HostApi, HostEvent, HostEventData, WorkspaceSpec } from "@plugboard/contracts";
import { questionFor } from "../inbox/mask-definition.ts";
import type { OpenWorkspace } from "../workspace/open-workspace.ts";
import { bindChats } from "./chat-service.ts";
import type { ChatService } from "./chat-service.ts";
import type { Host } from "./host.ts";

export interface HostCaller {
  readonly caller: Caller;
  readonly chats: () => Promise<ChatService>;
  /** Called when the caller closes its host, before its workspaces are released. */
  readonly onClosed: () => void;
}

export function bindHost(host: Host, { caller, chats, onClosed }: HostCaller): HostApi {
  const opened = new Set<OpenWorkspace>();
  let boundChats: Chats | undefined;
  const close = async () => {
    onClosed();
    await Promise.all([...opened].map((workspace) => host.release(workspace)));
    await host.endCaller(caller);
  };
  return {
    caller,
    workspace: async (spec) => {
      const workspace = await host.open(spec, { nativeTools: wantsNativeTools(caller, spec) });
      opened.add(workspace);
      return host.bind(workspace, caller);
    },
    events: (after, signal) => host.events.events(after, signal, (event) => eventFor(event, caller, host)),
    get chats() {
      return (boundChats ??= bindChats(caller, chats));
    },
    chatWorkspace: async (chat) => ({
      ...host.bind(await host.chatWorkspace(chat, caller), caller),
      release: () => Promise.resolve(),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Returns whether a workspace gets the tools for files and commands. Throws FORBIDDEN if the caller may not have them.
 */
export function wantsNativeTools(caller: Caller, { nativeTools = caller.kind === "chat" }: WorkspaceSpec): boolean {
  if (nativeTools) requireRight(caller, "use_native_tools");
  return nativeTools;
}

/** Returns the event as the caller may see it. Returns undefined if the caller may not see it. */
function eventFor(event: HostEvent, caller: Caller, host: Host): HostEvent | undefined {
  if (!maySeeEvent(event, caller, host)) return undefined;
  if (event.type !== "question.asked" && event.type !== "question.settled") return event;
  return { ...event, question: questionFor(event.question, caller) };
}

/** Hides the questions and subscriptions of other callers, and calls and chats that the caller may not see. */
function maySeeEvent(event: HostEventData, caller: Caller, host: Host): boolean {
  switch (event.type) {
    case "question.asked":
    case "question.settled":
      return host.inbox.mayAnswer(event.question, caller);
    case "question.unattended":
      return host.inbox.mayAnswer(event, caller);
    case "call.started":
    case "call.ended":
    case "decision.made":
      return sameCaller(event.caller, caller) || seesAllCalls(caller);
    case "decision.dropped":
    case "decision.lapsed":
      return seesAllCalls(caller);
    case "chat.event":
      return host.inbox.chatWatchers.mayRead(event.event, caller);
    case "resource.updated":
      return event.caller.id === caller.id;
    default:
      return true;
  }
}

function seesAllCalls(caller: Caller): boolean {
  return grantOf(holderOf(caller), "see_calls") === "all";
}
