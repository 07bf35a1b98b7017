/** The methods of a workspace by the names they have on the wire. `tools.call` is a stream and `release` ends it; both are apart. */
import type { Answer, Workspace } from "@plugboard/contracts";

type Method = (workspace: Workspace, args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

export const METHODS: { readonly [name: string]: Method | undefined } = {
  __proto__: null as never,
  status: (workspace) => workspace.status(),
  snapshot: (workspace) => workspace.snapshot(),
  start: (workspace) => workspace.start(),
  "servers.connect": (workspace, [id], signal) => workspace.servers.connect(String(id), { signal }),
  "servers.disconnect": (workspace, [id]) => workspace.servers.disconnect(String(id)),
  "tools.list": (workspace) => workspace.tools.list(),
  "inbox.list": (workspace) => workspace.inbox.list(),
  "inbox.answer": (workspace, [id, answer]) => workspace.inbox.answer(String(id), answer as Answer),
  "inbox.dismiss": (workspace, [id]) => workspace.inbox.dismiss(String(id)),
  "config.problems": (workspace) => workspace.config.problems(),
};
