/** Starts a running host for a test, with a state folder of its own, a free port and the given servers. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceSpec } from "@plugboard/contracts";
import { addNamedToken, deleteNamedToken, ownerToken } from "@plugboard/host/tokens";
import { startDaemon } from "@plugboard/daemon";
import type { Daemon, DaemonOptions } from "@plugboard/daemon";

export { addNamedToken, deleteNamedToken };

export interface RunningHost {
  readonly daemon: Daemon;
  readonly url: string;
  readonly token: string;
  readonly env: { readonly [name: string]: string };
  readonly close: () => Promise<void>;
}

/** Makes an environment whose home, state and config are in a temporary folder. */
export async function testEnv() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-host-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PLUGBOARD_CONFIG_PATH: join(folder, "config.json"),
  };
  return { env, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function startRunningHost(
  servers: NonNullable<WorkspaceSpec["servers"]>,
  options: Partial<DaemonOptions> = {},
  permissions: NonNullable<WorkspaceSpec["permissions"]> = { allow: ["*"] },
  profiles: object = {},
  gateway: object = {},
): Promise<RunningHost> {
  return startDaemonWith({}, servers, options, permissions, profiles, gateway);
}

/** Does the same as `startRunningHost`, with more environment variables. */
export async function startDaemonWith(
  variables: { readonly [name: string]: string },
  servers: NonNullable<WorkspaceSpec["servers"]>,
  options: Partial<DaemonOptions> = {},
  permissions: NonNullable<WorkspaceSpec["permissions"]> = { allow: ["*"] },
  profiles: object = {},
  gateway: object = {},
): Promise<RunningHost> {
  const { env: folders, remove } = await testEnv();
  const env = { ...folders, ...variables };
  const config = { mcp: { servers, permissions, profiles, gateway } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const daemon = await startDaemon({ port: 0, env, lingerMs: 0, spec: { cwd: env.HOME }, ...options });
  const { errors } = await daemon.workspace.start();
  if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors));
  const close = async () => {
    await daemon.stop();
    await remove();
  };
  return { daemon, env, close, url: `${daemon.endpoint}/mcp`, token: await ownerToken(env) };
}

/** Stops the host and starts another one with the same state and config. */
export async function restartHost(host: RunningHost, options: Partial<DaemonOptions> = {}): Promise<RunningHost> {
  await host.daemon.stop();
  const { env } = host;
  const daemon = await startDaemon({ port: 0, env, lingerMs: 0, spec: { cwd: env["HOME"]! }, ...options });
  await daemon.workspace.start();
  const close = async () => {
    await daemon.stop();
    await host.close();
  };
  return { ...host, daemon, close, url: `${daemon.endpoint}/mcp` };
}
