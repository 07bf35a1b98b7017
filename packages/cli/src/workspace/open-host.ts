/** Opens the host for a command: the running host if there is one, otherwise a private host that closes with the command. */
import type { CallerOptions, ConfigLayer, HostApi, Workspace, WorkspaceSpec, Env } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { createBareHost, createHostForCall, findSocket, referencedEnv } from "@plugboard/host/internal";
import { connectRemote } from "@plugboard/remote";
import type { RemoteHost, RemoteOptions } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";

export interface HostHandle {
  /** Switches to a private host if the running host ends before it has opened the workspace. */
  readonly api: HostApi;
  /** True if the host ends with the command. */
  readonly isPrivate: boolean;
  /** The running host, or undefined for a private one. */
  readonly running: RemoteHost | undefined;
  /** The sequence number of the host's latest event when the command connected. */
  readonly seq: number;
  /** Opens the workspace of the command. */
  workspace(): Promise<Workspace>;
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
  const { attended } = options;
  const running = options.usePrivate ? undefined : await connectToRunningHost(env, { attended });
  const openPrivate = () => openPrivateHost(env, spec, options);
  let { api, close } = running ? { api: running, close: () => running.close() } : await openPrivate();
  return {
    get api() {
      return api;
    },
    get isPrivate() {
      return api !== running;
    },
    get running() {
      return api === running ? running : undefined;
    },
    get seq() {
      return api === running ? running.seq : 0;
    },
    async workspace() {
      if (!running) return api.workspace(spec);
      try {
        // The running host has another environment, so it is sent the variables that the definitions refer to.
        return await running.workspace({ ...spec, env: await referencedEnv(spec, env) });
      } catch (error) {
        if (!(await hasEnded(env, error))) throw error;
        await running.close();
        ({ api, close } = await openPrivate());
        return api.workspace(spec);
      }
    },
    close: () => close(),
  };
}

async function openPrivateHost(
  env: Env,
  spec: WorkspaceSpec,
  { attended, layers, upcomingCall }: OpenHostOptions,
): Promise<Pick<HostHandle, "api" | "close">> {
  const options = { env, ...(layers && { config: layers }) };
  const host = await (upcomingCall ? createHostForCall(options, spec, upcomingCall) : createBareHost(options));
  return { api: host.as("cli", { attended }), close: () => host.close() };
}

/** Returns undefined if no host is running. Throws if a host is running but unreachable, because two hosts would conflict. */
export async function connectToRunningHost(
  env: Env,
  options: CallerOptions & Pick<RemoteOptions, "acceptsAnyVersion">,
): Promise<RemoteHost | undefined> {
  const socketPath = await findSocket(env);
  if (socketPath === undefined) return undefined;
  try {
    return await connectRemote({ fetch: nodeHttpFetch({ socketPath }), version: VERSION, kind: "cli", ...options });
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
