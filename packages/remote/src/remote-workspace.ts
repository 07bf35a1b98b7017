/** A workspace of a host that runs elsewhere: each method is one request. */
import { cancelled, controlPaths, HostError, deserializeError } from "@plugboard/contracts";
import type { CallEvent, CallOptions, JsonObject, ToolRef, ToolResult, Workspace } from "@plugboard/contracts";
import type { ControlClient } from "./control-client.ts";

export interface RemoteWorkspace extends Workspace {
  readonly id: string;
}

export function remoteWorkspace(client: ControlClient, channel: string, id: string): RemoteWorkspace {
  const invoke = async <Result>(method: string, args: readonly unknown[] = [], signal?: AbortSignal) =>
    (await client.requestJson("POST", controlPaths.invoke(channel, id, method), args, signal)) as Result;

  return {
    id,
    status: () => invoke("status"),
    snapshot: () => invoke("snapshot"),
    start: ({ signal } = {}) => invoke("start", [], signal),
    release: () => invoke("release"),
    servers: {
      detail: (server) => invoke("servers.detail", [server]),
      connect: (server, { definition, signal } = {}) => invoke("servers.connect", [server, definition ?? null], signal),
      disconnect: (server) => invoke("servers.disconnect", [server]),
      reconnect: (server, { signal } = {}) => invoke("servers.reconnect", [server], signal),
      refresh: (server, { signal } = {}) => invoke("servers.refresh", [server], signal),
      toggle: (server, on) => invoke("servers.toggle", [server, on]),
      set: (servers) => invoke("servers.set", [servers]),
      login: (server, { method, signal } = {}) => invoke("servers.login", [server, method ?? null], signal),
      logout: (server) => invoke("servers.logout", [server]),
    },
    tools: {
      list: () => invoke("tools.list"),
      search: (query, options = {}) => invoke("tools.search", [query, options]),
      definitions: (provider) => invoke("tools.definitions", [provider]),
      call: (ref, args, options = {}) =>
        call(client, controlPaths.invoke(channel, id, "tools.call"), ref, args ?? {}, options),
      toggle: (ref, on) => invoke("tools.toggle", [ref, on]),
    },
    resources: {
      list: ({ server, signal } = {}) => invoke("resources.list", [server ?? null], signal),
      templates: ({ server, signal } = {}) => invoke("resources.templates", [server ?? null], signal),
      read: (server, uri, { signal } = {}) => invoke("resources.read", [server, uri], signal),
    },
    prompts: {
      list: ({ server, signal } = {}) => invoke("prompts.list", [server ?? null], signal),
      get: (server, name, args = {}, { signal } = {}) => invoke("prompts.get", [server, name, args], signal),
      complete: (server, ref, argument, others = {}) => invoke("prompts.complete", [server, ref, argument, others]),
    },
    inbox: {
      list: () => invoke("inbox.list"),
      answer: (question, answer) => invoke("inbox.answer", [question, answer]),
      dismiss: (question) => invoke("inbox.dismiss", [question]),
    },
    config: {
      problems: () => invoke("config.problems"),
      reload: () => invoke("config.reload"),
      pending: () => invoke("config.pending"),
      trust: (server, hash) => invoke("config.trust", [server, hash]),
      distrust: (server) => invoke("config.distrust", [server]),
    },
    permissions: {
      decisions: () => invoke("permissions.decisions"),
      revoke: (decision) => invoke("permissions.revoke", [decision]),
    },
    logins: { list: () => invoke("logins.list"), setBackend: (backend) => invoke("logins.setBackend", [backend]) },
    activity: {
      recent: (query = {}) => invoke("activity.recent", [query]),
      metrics: () => invoke("activity.metrics"),
    },
  };
}

/** A call is a stream of progress that ends in its result. Closing it gives the call up. */
async function call(
  client: ControlClient,
  path: string,
  ref: ToolRef,
  args: JsonObject,
  { signal, onProgress }: CallOptions,
): Promise<ToolResult> {
  for await (const event of client.requestEvents("POST", path, [ref, args], signal)) {
    const callEvent = event as CallEvent;
    if ("progress" in callEvent) onProgress?.(callEvent.progress);
    else if ("error" in callEvent) throw deserializeError(callEvent.error);
    else return callEvent.result;
  }
  if (signal?.aborted) throw cancelled();
  throw new HostError("HOST_UNREACHABLE", { reason: "the call's stream ended without a result" });
}
