/** The host a command works on: the running one if there is one, else a private one that ends with the command. */
import { HostError } from "@plugboard/contracts";
import type { HostApi, WorkspaceSpec } from "@plugboard/contracts";
import { mentionedEnv, socketPath, VERSION } from "@plugboard/host";
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

/** Nothing if no host is running. */
export async function attach(env: Env, attended: boolean): Promise<RemoteHost | undefined> {
  const fetch = nodeFetch({ socketPath: socketPath(env) });
  try {
    return await connectRemote({ fetch, version: VERSION, kind: "cli", attended });
  } catch (error) {
    if (error instanceof HostError && error.code === "HOST_UNREACHABLE") return undefined;
    throw error;
  }
}
