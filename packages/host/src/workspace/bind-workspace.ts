/** A workspace as one caller sees it: the contract's interface, each method bound to that caller. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type {
  ActivityEntry,
  ActivityQuery,
  Caller,
  Metrics,
  StoredDecision,
  Workspace,
  WorkspaceLogins,
} from "@plugboard/contracts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import type { DecisionStore, ListedDecision } from "../policy/decision-store.ts";
import type { OpenWorkspace } from "./open-workspace.ts";

export interface WorkspaceBinding {
  readonly caller: Caller;
  readonly inbox: QuestionInbox;
  readonly decisions: DecisionStore;
  readonly logins: WorkspaceLogins;
  readonly recent: (query?: ActivityQuery) => Promise<ActivityEntry[]>;
  readonly metrics: () => Metrics;
  /** The number of the latest fact. */
  readonly seq: () => number;
  readonly release: () => Promise<void>;
}

export function bindWorkspace(workspace: OpenWorkspace, binding: WorkspaceBinding): Workspace {
  const { caller, inbox, decisions, logins, recent, metrics, seq, release } = binding;
  const { resources, prompts, completions } = workspace;
  // A person who types a call has consented by typing it.
  const ownConsent = caller.kind === "cli";
  return {
    snapshot: async () => {
      await workspace.loadLogins();
      return { seq: seq(), servers: workspace.status(), questions: inbox.list(caller) };
    },
    status: async () => {
      await workspace.loadLogins();
      return workspace.status();
    },
    start: ({ signal } = {}) => workspace.start(signal),
    release,
    servers: {
      detail: async (id) => {
        await workspace.loadLogins();
        return workspace.detail(id);
      },
      connect: (id, { definition, signal } = {}) => workspace.connect(id, { definition, signal, caller }),
      disconnect: (id) => workspace.disconnect(id),
      reconnect: (id, { signal } = {}) => workspace.reconnect(id, signal),
      refresh: (id, { signal } = {}) => workspace.refresh(id, signal),
      toggle: async (id, on) => workspace.toggle(id, on),
      set: (servers) => workspace.setServers(servers),
      login: async (id, { method, signal } = {}) => {
        throwUnlessUser(caller);
        return workspace.login(id, { caller, method, signal });
      },
      logout: async (id) => {
        throwUnlessUser(caller);
        return workspace.logout(id);
      },
    },
    tools: {
      list: async () => workspace.tools(),
      search: (query, options) => workspace.search(query, options),
      definitions: async (provider) => workspace.definitions(provider),
      call: (ref, args, { signal, onProgress } = {}) =>
        workspace.call(ref, args ?? {}, { caller, ownConsent, signal, onProgress }),
      toggle: async (ref, on) => workspace.toggleTool(ref, on),
    },
    resources: {
      list: (options) => resources.list(options),
      templates: (options) => resources.templates(options),
      read: (server, uri, options = {}) => resources.read(server, uri, { caller, ...options }),
    },
    prompts: {
      list: (options) => prompts.list(options),
      get: (server, name, args = {}, options = {}) => prompts.get(server, name, args, { caller, ...options }),
      complete: (server, ref, argument, others = {}) => completions.complete(server, ref, argument, others, { caller }),
    },
    inbox: {
      list: async () => inbox.list(caller),
      answer: async (id, answer) => {
        if (isJsonObject(answer) && answer["type"] === "trust") throwUnlessUser(caller);
        inbox.answer(id, answer, caller);
      },
      dismiss: async (id) => inbox.dismiss(id, caller),
    },
    config: {
      problems: async () => workspace.problems(),
      reload: () => workspace.reload(),
      pending: async () => workspace.pending(),
      trust: async (id, hash) => {
        throwUnlessUser(caller);
        await workspace.trust(id, hash);
      },
      distrust: async (id) => {
        throwUnlessUser(caller);
        await workspace.distrust(id);
      },
    },
    permissions: {
      decisions: async () => decisions.list().map(toStoredDecision),
      revoke: async (id) => {
        throwUnlessUser(caller);
        await decisions.revoke(id);
      },
    },
    logins: {
      list: async () => {
        throwUnlessUser(caller);
        return logins.list();
      },
      setBackend: async (backend) => {
        throwUnlessUser(caller);
        return logins.setBackend(backend);
      },
    },
    activity: { recent, metrics: async () => metrics() },
  };
}

/** A client of the gateway, or a conversation, is not the user: what the user agrees to is not for it to change. */
function throwUnlessUser({ kind }: Caller): void {
  if (kind !== "front" && kind !== "chat") return;
  throw new HostError("FORBIDDEN", { reason: "only the user may say so, not a client or a conversation" });
}

function toStoredDecision({ id, at, scope, server, tool, pin, rule, caller }: ListedDecision): StoredDecision {
  return { id, at, scope, server, tool, pin, ...(rule !== undefined && { rule }), ...(caller && { caller }) };
}
