/** Makes the `Workspace` object of one caller. Its methods call the open workspace on behalf of that caller. */
import {
  buildApi,
  grantOf,
  hasRight,
  holderOf,
  HostError,
  isHostError,
  optionNames,
  requireMethodRights,
  toolArguments,
  WORKSPACE_METHODS,
  toAbortSignal,
} from "@plugboard/contracts";
import type {
  ActivityEntry,
  ActivityQuery,
  Caller,
  CallStats,
  CallStatsQuery,
  Metrics,
  ToolResult,
  Workspace,
  WorkspaceLogins,
  WorkspaceMethod,
  WorkspaceMethodPath,
} from "@plugboard/contracts";
import { Call } from "../calls/call.ts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import { toStoredDecision } from "../policy/decision-store.ts";
import type { DecisionStore } from "../policy/decision-store.ts";
import { optionsNotAnObject, unknownOption } from "../lib/unknown-option.ts";
import { pendingFor } from "../inbox/mask-definition.ts";
import { secretAccess } from "./secret-access.ts";
import type { SecretSource } from "./secret-access.ts";
import type { OpenWorkspace } from "./open-workspace.ts";

export interface WorkspaceBinding {
  readonly caller: Caller;
  readonly inbox: QuestionInbox;
  readonly decisions: DecisionStore;
  readonly logins: WorkspaceLogins;
  /** Opens the store on first use. */
  readonly secrets: () => SecretSource;
  readonly recentActivity: (query?: ActivityQuery) => Promise<ActivityEntry[]>;
  readonly metrics: () => Metrics;
  readonly stats: (query?: CallStatsQuery) => Promise<CallStats>;
  /** Returns the sequence number of the latest event. */
  readonly seq: () => number;
  readonly release: () => Promise<void>;
}

/** One function for each row of `WORKSPACE_METHODS`. The function may return its value without a promise. */
type Implementation = {
  readonly [Path in WorkspaceMethodPath]: (
    ...args: Parameters<WorkspaceMethod<Path>>
  ) => ReturnType<WorkspaceMethod<Path>> | Awaited<ReturnType<WorkspaceMethod<Path>>>;
};

export function bindWorkspace(workspace: OpenWorkspace, binding: WorkspaceBinding): Workspace {
  const implementation = implement(workspace, binding);
  return buildApi(WORKSPACE_METHODS, (path) => {
    const method = implementation[path] as (...args: readonly unknown[]) => unknown;
    const { right, more, params } = WORKSPACE_METHODS[path];
    const known = optionNames(WORKSPACE_METHODS[path]);
    // True if the caller may always call the method, so that rights need not be checked for each call.
    const isFree = !more && hasRight(holderOf(binding.caller), right);
    // Not an async function, because it would delay the result of every call.
    return (...args) => {
      try {
        if (!isFree) requireMethodRights(binding.caller, path, args);
        if (known && args.length >= params.length) checkOptions(path, args.at(-1), known);
        return Promise.resolve(method(...args));
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    };
  });
}

/** Throws OPTION_INVALID for an unknown option. A misspelt option would otherwise be ignored without notice. */
export function checkOptions(method: string, given: unknown, known: readonly string[]): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null) throw optionsNotAnObject(method);
  for (const option in given) if (!known.includes(option)) throw unknownOption(method, option, known);
}

function implement(workspace: OpenWorkspace, binding: WorkspaceBinding): Implementation {
  const { caller, decisions, logins, recentActivity, metrics, stats, seq, release } = binding;
  const secrets = () => secretAccess(binding.secrets(), () => workspace.configuredServers());
  // A person who types a call on the command line permits it by typing it.
  const impliesPermission = caller.kind === "cli";
  return {
    status: async () => {
      await workspace.loadLogins();
      return workspace.status();
    },
    snapshot: async () => {
      await workspace.loadLogins();
      return { seq: seq(), servers: workspace.status(), questions: binding.inbox.list(caller) };
    },
    start: (options) => workspace.start(options),
    release,
    "servers.detail": async (id) => {
      await workspace.loadLogins();
      return workspace.detail(id);
    },
    "servers.connect": (id, { definition, signal } = {}) =>
      workspace.servers.connect(id, { definition, signal, caller }),
    "servers.disconnect": (id) => workspace.servers.disconnect(id),
    "servers.reconnect": (id, { signal } = {}) => workspace.servers.reconnect(id, signal),
    "servers.refresh": (id, { signal } = {}) => workspace.servers.refresh(id, signal),
    "servers.toggle": (id, enabled) => workspace.servers.toggle(id, enabled),
    "servers.set": (servers) => workspace.servers.set(servers),
    "servers.login": (id, { method, signal } = {}) => workspace.servers.login(id, { caller, method, signal }),
    "servers.logout": (id) => workspace.servers.logout(id),
    "tools.list": () => workspace.tools.list(),
    "tools.find": async (server, names, { signal } = {}) => {
      await workspace.servers.connect(server, { signal, caller });
      return workspace.tools.listOf(server).filter(({ tool }) => names.includes(tool));
    },
    "tools.describe": (ref) => workspace.tools.describe(ref),
    "tools.search": (query, options) => workspace.tools.search(query, options),
    "tools.definitions": (provider) => workspace.tools.definitions(provider),
    "tools.call": (ref, args, { id, timeoutMs, signal, onProgress } = {}) => {
      const call = new Call(ref, toolArguments(args, "the arguments"), caller);
      call.chosenId = id;
      call.impliesPermission = impliesPermission;
      call.signal = signal;
      call.onProgress = onProgress;
      return timeoutMs === undefined ? workspace.calls.call(call) : callWithin(timeoutMs, call, workspace);
    },
    "tools.toggle": (ref, enabled) => workspace.tools.toggle(ref, enabled),
    "resources.list": (options) => workspace.resources.list(options),
    "resources.templates": (options) => workspace.resources.templates(options),
    "resources.read": (server, uri, options = {}) => workspace.resources.read(server, uri, { ...options, caller }),
    "resources.subscribe": (server, uri) => workspace.subscriptions.subscribe(server, uri, caller),
    "resources.unsubscribe": (server, uri) => workspace.subscriptions.unsubscribe(server, uri, caller),
    "prompts.list": (options) => workspace.prompts.list(options),
    "prompts.get": (server, name, args = {}, options = {}) =>
      workspace.prompts.get(server, name, args, { ...options, caller }),
    "prompts.complete": (server, ref, argument, others = {}) =>
      workspace.completions.complete(server, ref, argument, others, { caller }),
    "skills.list": (options) => workspace.skills.list(options),
    "skills.get": (server, uri, options = {}) => workspace.skills.get(server, uri, { ...options, caller }),
    "skills.read": (server, uri, file = uri, options = {}) =>
      workspace.skills.read(server, uri, file, { ...options, caller }),
    "inbox.list": () => {
      if (grantOf(holderOf(caller), "answer") === "all") binding.inbox.watchers.addListing();
      return binding.inbox.list(caller);
    },
    "inbox.answer": (id, answer) => binding.inbox.answer(id, answer, caller),
    "inbox.dismiss": (id) => binding.inbox.dismiss(id, caller),
    "config.problems": () => workspace.problems(),
    "config.reload": () => workspace.reload(),
    "config.pending": () => workspace.pending().map((pending) => pendingFor(pending, caller)),
    "config.trust": (id, hash) => workspace.trust(id, hash),
    "config.distrust": (id) => workspace.distrust(id),
    "permissions.decisions": () => decisions.list().map(toStoredDecision),
    "permissions.revoke": (id) => decisions.revoke(id),
    "logins.list": () => logins.list(),
    "logins.setBackend": (backend) => logins.setBackend(backend),
    "secrets.list": () => secrets().list(),
    "secrets.set": (name, value) => secrets().set(name, value),
    "secrets.remove": (name) => secrets().remove(name),
    "activity.recent": recentActivity,
    "activity.metrics": metrics,
    "activity.stats": stats,
  };
}

/** Aborts the call with REQUEST_TIMEOUT after this time. */
async function callWithin(afterMs: number, call: Call, { calls }: OpenWorkspace): Promise<ToolResult> {
  const timeout = new AbortController();
  const timeoutError = () =>
    new HostError("REQUEST_TIMEOUT", { server: call.server, method: "tools/call", afterMs, byCaller: true });
  const timer = setTimeout(() => timeout.abort(timeoutError()), afterMs);
  call.signal = AbortSignal.any([timeout.signal, ...(call.signal ? [toAbortSignal(call.signal)] : [])]);
  try {
    return await calls.call(call);
  } catch (thrown) {
    const isTimeout = timeout.signal.aborted && isHostError(thrown) && thrown.code === "CANCELLED";
    throw isTimeout ? timeout.signal.reason : thrown;
  } finally {
    clearTimeout(timer);
  }
}
