/** A workspace as one caller sees it: the contract's interface, each method bound to that caller. */
import type { Caller, Workspace } from "@plugboard/contracts";
import type { Inbox } from "../inbox/inbox.ts";
import type { OpenWorkspace } from "./workspace.ts";

export function bindWorkspace(workspace: OpenWorkspace, inbox: Inbox, caller: Caller): Workspace {
  return {
    status: async () => workspace.status(),
    start: () => workspace.start(),
    release: () => workspace.release(),
    servers: {
      connect: (id, { signal } = {}) => workspace.connect(id, signal),
      disconnect: (id) => workspace.disconnect(id),
    },
    tools: {
      list: async () => workspace.tools(),
      call: (ref, args, { signal, onProgress } = {}) => workspace.call(ref, args, { caller, signal, onProgress }),
    },
    inbox: {
      list: async () => inbox.list(caller),
      answer: async (id, answer) => inbox.answer(id, answer, caller),
      dismiss: async (id) => inbox.dismiss(id, caller),
    },
    config: { problems: async () => workspace.problems() },
  };
}
