/** Starts the host in the background, for a command that needs one. It outlives the command. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HostError } from "@plugboard/contracts";
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import { checkSocketPath, ensureStateFolder, socketPath } from "@plugboard/store";
import { spawnDetached } from "@plugboard/mcp/process";
import type { RemoteHost } from "@plugboard/remote";
import { commandPath } from "./command-path.ts";
import { BUSY_HOST_TIMEOUT_MS, connectToRunningHost } from "./open-host.ts";

const START_TIMEOUT_MS = 10_000;

/** Resolves when the host answers. If another command starts one at the same time, both use the same host. */
export async function startBackgroundHost(env: Env, workspace?: WorkspaceSpec): Promise<RemoteHost> {
  checkSocketPath(socketPath(env));
  const folder = await ensureStateFolder(env);
  const log = join(folder, "host.log");
  await spawnDetached(process.execPath, [commandPath(), "serve", "--background"], folder, log);
  return waitForHost(env, `it did not start; its log is ${log}`, workspace);
}

/** Connects to a host that is being started. Throws HOST_UNREACHABLE with the reason if it does not answer in time. */
export async function waitForHost(
  env: Env,
  reason: string,
  workspace?: WorkspaceSpec,
  timeoutMs = START_TIMEOUT_MS,
): Promise<RemoteHost> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const host = await connectToRunningHost(env, { workspace, connectTimeoutMs: BUSY_HOST_TIMEOUT_MS });
    if (host) return host;
    // Polls, because nothing reports that the socket has appeared.
    await delay(30);
  }
  throw new HostError("HOST_UNREACHABLE", { reason });
}
