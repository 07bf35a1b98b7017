/** Opens the host for a command: the running host, or otherwise a private host that closes with the command. */
import type {
  CallerOptions,
  ConfigLayer,
  ConfigProblem,
  Env,
  HostApi,
  Workspace,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { createBareHost, createHostForCall } from "@plugboard/host/core";
import { findSocket } from "@plugboard/store";
import { pathVariables, selectVariables } from "@plugboard/config";
import type { LoadChatService } from "@plugboard/host/core";
import { connectRemote } from "@plugboard/remote";
import type { OpenedWorkspace, RemoteHost, RemoteOptions } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";

export interface HostHandle {
  readonly api: HostApi;
  /** The running host, or undefined for a private one. */
  readonly running: RemoteHost | undefined;
  /** The sequence number of the host's latest event when the command connected. */
  readonly seq: number;
  /** Opens the workspace of the command. Also returns the problems of its config. */
  workspace(): Promise<CommandWorkspace>;
  close(): Promise<void>;
}

export interface CommandWorkspace {
  readonly workspace: Workspace;
  readonly problems: readonly ConfigProblem[];
  /** The environment variables that the definitions refer to. A private host has the whole environment. */
  readonly variables?: readonly string[];
}

export interface OpenHostOptions {
  /** True if a person can answer questions. */
  readonly attended: boolean;
  /** True if the command must not use the running host. */
  readonly usePrivate: boolean;
  /** The config layers that a private host reads. By default all. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** True if the running host may use the last valid config while the config files are broken. */
  readonly lastValid?: boolean | undefined;
  /** The call that the command will make. A private host starts its server while the host loads. */
  readonly upcomingCall?: UpcomingCall | undefined;
}

export interface UpcomingCall {
  readonly server: string;
  readonly tool: string;
}

export async function openHost(env: Env, spec: WorkspaceSpec, options: OpenHostOptions): Promise<HostHandle> {
  const { attended, usePrivate, lastValid } = options;
  const workspace = { ...spec, ...(lastValid && { lastValid }) };
  const running = usePrivate
    ? undefined
    : await connectToRunningHost(env, { attended, workspace, receivesEvents: true });
  if (!running) return openPrivateHost(env, spec, options);
  return {
    api: running,
    running,
    seq: running.seq,
    workspace: async () => running.opened!,
    close: () => running.close(),
  };
}

async function openPrivateHost(
  env: Env,
  spec: WorkspaceSpec,
  { attended, layers, upcomingCall }: OpenHostOptions,
): Promise<HostHandle> {
  const options = { env, chats: loadChats, ...(layers && { config: layers }) };
  const host = await (upcomingCall ? createHostForCall(options, spec, upcomingCall) : createBareHost(options));
  const api = host.as("cli", { attended });
  return {
    api,
    running: undefined,
    seq: 0,
    async workspace() {
      const workspace = await api.workspace(spec);
      return { workspace, problems: await workspace.config.problems() };
    },
    close: () => host.close(),
  };
}

/** Loaded with the first chat, because other commands need no agent. */
const loadChats: LoadChatService = async (host) => {
  const loaded = await import("@plugboard/daemon/chats");
  return loaded.loadChats(host);
};

/**
 * How long to wait for the first answer of a busy host if nobody can try again: MCP clients give a server 10 to 60
 * seconds to start, and don't start it a second time. A host that has ended is noticed at once.
 */
export const BUSY_HOST_TIMEOUT_MS = 20_000;

type RunningHostOptions = CallerOptions &
  Pick<RemoteOptions, "acceptsAnyVersion" | "operationsIn" | "receivesEvents" | "connectTimeoutMs"> & {
    readonly workspace?: WorkspaceSpec | undefined;
  };

/** Returns undefined if no host is running. Throws if a running host can't be reached, because two would conflict. */
export async function connectToRunningHost(
  env: Env,
  { workspace, ...options }: RunningHostOptions,
): Promise<RemoteHost | undefined> {
  const socketPath = findSocket(env);
  if (socketPath === undefined) return undefined;
  // The running host has another environment, so it gets the variables of this one that it needs.
  const spec = workspace && { ...workspace, env: pathVariables(env) };
  try {
    const fetch = nodeHttpFetch({ socketPath });
    const running = await connectRemote({ fetch, version: VERSION, kind: "cli", ...options, workspace: spec });
    return spec && running.opened ? await supplyVariables(running, running.opened, spec, env) : running;
  } catch (error) {
    if (hasEnded(env, error)) return undefined;
    throw error;
  }
}

/** Opens the workspace again if its definitions refer to variables that are set here. Most refer to none. */
async function supplyVariables(
  running: RemoteHost,
  opened: OpenedWorkspace,
  spec: WorkspaceSpec,
  env: Env,
): Promise<RemoteHost> {
  const variables = selectVariables(env, opened.variables);
  if (Object.keys(variables).length === 0) return running;
  await opened.workspace.release();
  return { ...running, opened: await running.openWorkspace({ ...spec, env: { ...variables, ...spec.env } }) };
}

/** Returns true if a request failed because the host has ended. */
function hasEnded(env: Env, error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED" || code === "ENOENT") return true;
  // A host that is ending removes its socket first, and then drops new connections.
  return findSocket(env) === undefined;
}
