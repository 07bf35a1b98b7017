/** The second half of `createHost`: completes the host inside a program, with one workspace and synchronous reads. */
import { HostError } from "@plugboard/contracts";
import type { Caller, HostErrorJson, ServerStatus, StartReport, Workspace } from "@plugboard/contracts";
import { checkConnectOptions } from "./check-host-options.ts";
import type { CreateHostOptions } from "./create-host-options.ts";
import type { EmbeddedHost, EmbeddedServers, EmbeddedTools } from "./embedded-host.ts";
import { Host } from "../core/host.ts";
import type { HostAhead } from "./begin-host.ts";
import { connectAnswerPort } from "../inbox/answer-port.ts";
import { checkOptions } from "../workspace/bind-workspace.ts";
import type { OpenWorkspace } from "../workspace/open-workspace.ts";

interface EmbeddedParts {
  readonly host: Host;
  readonly workspace: OpenWorkspace;
  /** The workspace's methods for this program as the caller. */
  readonly bound: Workspace;
  readonly caller: Caller;
}

/** Completes a host whose config has been read and whose servers have been started. */
export async function createHost(
  { ports: { answer } = {}, nativeTools = false, resourceTools = nativeTools }: CreateHostOptions,
  { options, base, spec }: HostAhead,
): Promise<EmbeddedHost> {
  const host = new Host(options, base);
  const api = host.as("program", { attended: answer !== undefined });
  const { caller } = api;
  const workspace = await host.open(spec, { nativeTools }).catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  if (!resourceTools) workspace.nativeTools.withhold("resources", "prompts");
  if (answer) connectAnswerPort(answer, { inbox: host.inbox, caller, emit: host.events.emit });
  const started = workspace.start();
  const bound = host.bind(workspace, caller);
  const { resources, prompts, skills, inbox, logins, secrets } = bound;
  const parts = { host, workspace, bound, caller };
  return {
    resources,
    prompts,
    skills,
    inbox,
    permissions: bound.permissions,
    logins,
    secrets,
    snapshot: () => bound.snapshot(),
    api,
    as: (kind, attendance) => host.as(kind, attendance),
    ready: async (given = {}) => {
      checkOptions("ready", given, ["timeoutMs"]);
      const { timeoutMs } = given;
      if (timeoutMs === undefined) return started;
      return withTimeout(started, timeoutMs, () => partialStartReport(workspace.status(), timeoutMs));
    },
    status: () => workspace.status(),
    servers: embedServers(parts),
    tools: embedTools(parts),
    config: { ...bound.config, problems: () => workspace.problems(), pending: () => workspace.pending() },
    activity: { ...bound.activity, metrics: () => host.metrics.snapshot() },
    rootsChanged: () => host.rootsChanged(),
    // The program owns the host, so it sees the events of every caller.
    events: (after, signal) => host.events.events(after, signal),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

function embedServers({ host, workspace, bound, caller }: EmbeddedParts): EmbeddedServers {
  return {
    ...bound.servers,
    detail: (id) => workspace.detail(id),
    connect: async (id, options = {}) => {
      checkConnectOptions(options);
      const { definition, signal } = options;
      const entry = definition && host.serverObjects.toEntries({ [id]: definition })[id];
      return workspace.servers.connect(id, { caller, signal, definition: entry });
    },
    set: async (servers) => {
      const entries = host.serverObjects.toEntries(servers);
      const result = await workspace.servers.set(entries);
      host.serverObjects.retain(entries);
      return result;
    },
  };
}

function embedTools({ host, workspace, bound }: EmbeddedParts): EmbeddedTools {
  return {
    ...bound.tools,
    list: () => workspace.tools.list(),
    definitions: (provider) => workspace.tools.definitions(provider),
    forModel: async (ref, result, given = {}) => {
      checkOptions("tools.forModel", given, ["limitBytes"]);
      return host.toModelContent(workspace, ref, result, given.limitBytes);
    },
    register: (tool) => {
      workspace.nativeTools.add(tool);
      return once(() => workspace.nativeTools.remove(tool.name));
    },
  };
}

/** Returns a function that has an effect only once. A second call must not remove a newer tool of the same name. */
function once(callback: () => void): () => void {
  let done = false;
  return () => {
    if (!done) callback();
    done = true;
  };
}

/** Reports the servers at a timeout. A server that is still connecting gets the error SERVER_NOT_RESPONDING. */
function partialStartReport(servers: readonly ServerStatus[], afterMs: number): StartReport {
  const errors: { [server: string]: HostErrorJson } = {};
  for (const { id, state, lastError } of servers) {
    if (state !== "error" && state !== "auth_required" && state !== "connecting") continue;
    errors[id] = lastError ?? new HostError("SERVER_NOT_RESPONDING", { server: id, afterMs }).toJSON();
  }
  return { ready: servers.filter(({ state }) => state === "ready").map(({ id }) => id), errors };
}

/** Resolves with `onTimeout()` if the promise does not settle in time. The work behind the promise goes on. */
function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(onTimeout()), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
