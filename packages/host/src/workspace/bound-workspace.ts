/** A workspace as one caller sees it: the contract's interface, each method bound to that caller. */
import type { Caller, Workspace } from "@plugboard/contracts";
import type { Inbox } from "../inbox/inbox.ts";
import type { OpenWorkspace } from "./workspace.ts";

export interface Binding {
  readonly caller: Caller;
  readonly inbox: Inbox;
  /** The number of the latest fact. */
  readonly seq: () => number;
  readonly release: () => Promise<void>;
}

export function bindWorkspace(workspace: OpenWorkspace, { caller, inbox, seq, release }: Binding): Workspace {
  // A person who types a call has consented by typing it.
  const ownConsent = caller.kind === "cli";
  return {
    snapshot: async () => ({ seq: seq(), servers: workspace.status(), questions: inbox.list(caller) }),
    status: async () => workspace.status(),
    start: () => workspace.start(),
    release,
    servers: {
      connect: (id, { signal } = {}) => workspace.connect(id, signal),
      disconnect: (id) => workspace.disconnect(id),
    },
    tools: {
      list: async () => workspace.tools(),
      call: (ref, args, { signal, onProgress } = {}) =>
        workspace.call(ref, args, { caller, ownConsent, signal, onProgress }),
    },
    inbox: {
      list: async () => inbox.list(caller),
      answer: async (id, answer) => inbox.answer(id, answer, caller),
      dismiss: async (id) => inbox.dismiss(id, caller),
    },
    config: { problems: async () => workspace.problems() },
  };
}
