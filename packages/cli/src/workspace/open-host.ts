/** Opens the host for a command: the running host if there is one, otherwise a private host that closes with the command. */
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
import { createBareHost, createHostForCall, findSocket, referencedEnv } from "@plugboard/host/internal";
import { connectRemote } from "@plugboard/remote";
import type { RemoteHost, RemoteOptions } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";

export interface HostHandle {
  readonly api: HostApi;
  /** The running host, or undefined for a private one. */
  readonly running: RemoteHost | undefined;
  /** The sequence number of the host's latest event when the command connected. */
  readonly seq: number;
  /** Opens the workspace of the command. Also returns the problems of its config. */
  workspace(): Promise<{ readonly workspace: Workspace; readonly problems: readonly ConfigProblem[] }>;
  close(): Promise<void>;
}

export interface OpenHostOptions {
  /** True if a person can answer questions. */
  readonly attended: boolean;
  /** True if the command must not use the running host. */
  readonly usePrivate: boolean;
  /** The config layers that a private host reads. By default all. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** The call that the command will make. A private host starts its server while the host loads. */
  readonly upcomingCall?: UpcomingCall | undefined;
}

export interface UpcomingCall {
  readonly server: string;
  readonly tool: string;
}

export async function openHost(env: Env, spec: WorkspaceSpec, options: OpenHostOptions): Promise<HostHandle> {
  const { attended, usePrivate } = options;
  const running = usePrivate
    ? undefined
    : await connectToRunningHost(env, { attended, workspace: spec, receivesEvents: true });
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
  const options = { env, ...(layers && { config: layers }) };
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

type RunningHostOptions = CallerOptions & Pick<RemoteOptions, "acceptsAnyVersion" | "workspace" | "receivesEvents">;

/** Returns undefined if no host is running. Throws if a host is running but unreachable, because two hosts would conflict. */
export async function connectToRunningHost(
  env: Env,
  { workspace, ...options }: RunningHostOptions,
): Promise<RemoteHost | undefined> {
  const socketPath = await findSocket(env);
  if (socketPath === undefined) return undefined;
  try {
    return await connectRemote({
      fetch: nodeHttpFetch({ socketPath }),
      version: VERSION,
      kind: "cli",
      ...options,
      // The running host has another environment, so it is sent the variables that the definitions refer to.
      ...(workspace && { workspace: { ...workspace, env: await referencedEnv(workspace, env) } }),
    });
  } catch (error) {
    if (await hasEnded(env, error)) return undefined;
    throw error;
  }
}

/** Returns true if a request failed because the host has ended. */
async function hasEnded(env: Env, error: unknown): Promise<boolean> {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED" || code === "ENOENT") return true;
  // A host that is ending removes its socket first, and then drops new connections.
  return (await findSocket(env)) === undefined;
}
