/** A host near or far, for tests that must not see the difference, and what such tests do with it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallerKind, HostApi, HostEvent, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { socketPath, VERSION } from "@plugboard/host";
import { Host } from "@plugboard/host/host";
import { connectRemote } from "@plugboard/remote";
import { nodeFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { startHost, testEnv } from "./running-host.ts";

export type Open = (kind: CallerKind, attended?: boolean) => Promise<HostApi>;

async function near(): Promise<Open> {
  const { env, remove } = await testEnv();
  const host = new Host({ env: { ...env, PLUGBOARD_CONFIG_PATH: undefined, XDG_CONFIG_HOME: env.HOME } });
  onTestFinished(async () => {
    await host.close();
    await remove();
  });
  return (kind, attended = false) => Promise.resolve(host.as(kind, { attended }));
}

async function far(): Promise<Open> {
  const running = await startHost({});
  onTestFinished(running.close);
  const fetch = nodeFetch({ socketPath: socketPath(running.env) });
  return async (kind, attended = false) => {
    const api = await connectRemote({ fetch, version: VERSION, kind, attended });
    onTestFinished(() => api.close());
    return api;
  };
}

export const HOSTS: readonly [string, () => Promise<Open>][] = [
  ["in this process", near],
  ["over the socket", far],
];

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "plugboard-folder-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

export async function openWorkspace(api: HostApi, spec: Partial<WorkspaceSpec> = {}): Promise<Workspace> {
  return api.workspace({
    cwd: await folder(),
    env: {},
    servers: { s: scriptedLegacy() },
    permissions: { allow: ["*"] },
    ...spec,
  });
}

/** The first event that fits, from the beginning on. */
export async function event<Type extends HostEvent["type"]>(
  api: HostApi,
  type: Type,
): Promise<Extract<HostEvent, { type: Type }>> {
  for await (const one of api.events(0)) if (one.type === type) return one as Extract<HostEvent, { type: Type }>;
  throw new Error("the events ended");
}
