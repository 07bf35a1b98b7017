/** Hosts for the contract tests: one in this process and one behind a socket. Both must behave the same. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallerKind, HostApi, HostEvent, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { loadChats } from "@plugboard/daemon/chats";
import { VERSION } from "@plugboard/host";
import { createBareHost } from "@plugboard/host/core";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { startRunningHost, testEnv } from "../../../daemon/test/helpers/running-host.ts";

export { startRunningHost };

/** Connects a new caller to a started host. `attended` says that a user answers the caller's questions. */
type ConnectCaller = (kind: CallerKind, options?: { readonly attended?: boolean }) => Promise<HostApi>;

export type StartHost = () => Promise<ConnectCaller>;

async function inProcessHost(): Promise<ConnectCaller> {
  const { env, remove } = await testEnv();
  const hostEnv = { ...env, PLUGBOARD_CONFIG_PATH: undefined, XDG_CONFIG_HOME: env.HOME };
  const host = await createBareHost({ env: hostEnv, chats: loadChats });
  onTestFinished(async () => {
    await host.close();
    await remove();
  });
  return (kind, options) => Promise.resolve(host.as(kind, options));
}

async function remoteHost(): Promise<ConnectCaller> {
  // Ends unused servers at once, as a host in this process does.
  const running = await startRunningHost({}, { lingerMs: 0 });
  onTestFinished(running.close);
  const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
  return async (kind, { attended = false } = {}) => {
    const api = await connectRemote({ fetch, version: VERSION, kind, attended });
    onTestFinished(() => api.close());
    return api;
  };
}

/** The name of each kind of host, and a function that starts one. */
export const HOSTS: readonly [string, StartHost][] = [
  ["in process", inProcessHost],
  ["over the socket", remoteHost],
];

/** Starts a host and connects one program as its caller. */
export async function startForProgram(start: StartHost, options?: { readonly attended?: boolean }): Promise<HostApi> {
  const connect = await start();
  return connect("program", options);
}

export async function makeWorkFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "plugboard-folder-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

export async function openWorkspace(api: HostApi, spec: Partial<WorkspaceSpec> = {}): Promise<Workspace> {
  return api.workspace({
    cwd: await makeWorkFolder(),
    env: {},
    servers: { s: scriptedLegacy() },
    permissions: { allow: ["*"] },
    ...spec,
  });
}

/** Returns the first event of this type since the host started. */
export async function firstEventOf<Type extends HostEvent["type"]>(
  api: HostApi,
  type: Type,
): Promise<Extract<HostEvent, { type: Type }>> {
  for await (const event of api.events(0)) {
    if (event.type === type) return event as Extract<HostEvent, { type: Type }>;
  }
  throw new Error("the events ended");
}
