/** The host a command works on: the running one if there is one, else a private one that ends with the command. */
import type { HostApi, WorkspaceSpec } from "@plugboard/contracts";
import { findSocket, mentionedEnv, VERSION } from "@plugboard/host";
import { connectRemote } from "@plugboard/remote";
import type { RemoteHost } from "@plugboard/remote";
import { nodeFetch } from "@plugboard/remote/node";

type Env = { readonly [name: string]: string | undefined };

export interface OpenedHost {
  readonly api: HostApi;
  /** What a workspace needs to be told when it is opened there. */
  specFor(spec: WorkspaceSpec): Promise<WorkspaceSpec>;
  close(): Promise<void>;
}

export async function openHost(env: Env, attended: boolean, private_: boolean): Promise<OpenedHost> {
  const running = private_ ? undefined : await attach(env, attended);
  if (running) {
    return {
      api: running,
      // The running host has another environment; it gets of ours what the definitions name, and nothing else.
      specFor: async (spec) => ({ ...spec, env: await mentionedEnv(spec, env) }),
      close: () => running.close(),
    };
  }
  const { Host } = await import("@plugboard/host/host");
  const host = new Host({ env });
  return { api: host.as("cli", { attended }), specFor: (spec) => Promise.resolve(spec), close: () => host.close() };
}

/** Returns undefined if no host is running. Throws if one is running but unreachable: a second would conflict. */
export async function attach(env: Env, attended: boolean): Promise<RemoteHost | undefined> {
  const socketPath = await findSocket(env);
  if (socketPath === undefined) return undefined;
  try {
    return await connectRemote({ fetch: nodeFetch({ socketPath }), version: VERSION, kind: "cli", attended });
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
    // An ending host drops clients that connect at that moment. By then it has removed its socket.
    if ((await findSocket(env)) === undefined) return undefined;
    throw error;
  }
}

function isNobodyThere(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" || code === "ENOENT";
}
