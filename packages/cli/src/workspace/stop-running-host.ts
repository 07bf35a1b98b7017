/** Stops the running host and waits for its end. */
import { setTimeout as delay } from "node:timers/promises";
import { HostError, isHostError } from "@plugboard/contracts";
import type { Env, HostInfo } from "@plugboard/contracts";
import { readPidFile } from "@plugboard/daemon";
import { isProcessRunning } from "@plugboard/mcp/process";
import { connectToRunningHost } from "./open-host.ts";

/** Longer than a host waits for its requests and servers. */
const STOP_TIMEOUT_MS = 60_000;
const FORCED_TIMEOUT_MS = 5000;
const POLL_MS = 50;

export interface StoppedHost {
  readonly pid: number;
  /** Undefined if the host did not answer and was killed. */
  readonly info: HostInfo | undefined;
}

/**
 * Returns undefined if no host is running. The host may have another version. With `force`, the host does not wait for
 * requests and servers, and a host that does not answer is killed.
 */
export async function stopRunningHost(
  env: Env,
  { force }: { readonly force: boolean },
): Promise<StoppedHost | undefined> {
  let info: HostInfo | undefined;
  try {
    info = await requestStop(env, force);
  } catch (error) {
    const pid = force && isUnresponsive(error) ? await readPidFile(env) : undefined;
    if (pid === undefined) throw error;
    return { pid: await kill(pid), info: undefined };
  }
  if (!info) return undefined;
  const { pid } = info;
  const timeoutMs = force ? FORCED_TIMEOUT_MS : STOP_TIMEOUT_MS;
  if (await hasEnded(pid, timeoutMs)) return { pid, info };
  if (!force) throw new HostError("HOST_NOT_STOPPED", { pid, afterMs: timeoutMs });
  return { pid: await kill(pid), info };
}

/** Returns undefined if no host is running. */
async function requestStop(env: Env, force: boolean): Promise<HostInfo | undefined> {
  const host = await connectToRunningHost(env, { acceptsAnyVersion: true });
  if (!host) return undefined;
  try {
    const info = await host.control.info();
    await host.control.stop({ force });
    return info;
  } finally {
    await host.close();
  }
}

function isUnresponsive(error: unknown): boolean {
  return isHostError(error) && error.code === "HOST_NOT_RESPONDING";
}

/** Kills the host. Its guard process then ends the servers. */
async function kill(pid: number): Promise<number> {
  if (isProcessRunning(pid)) process.kill(pid, "SIGKILL");
  if (await hasEnded(pid, FORCED_TIMEOUT_MS)) return pid;
  throw new HostError("HOST_NOT_STOPPED", { pid, afterMs: FORCED_TIMEOUT_MS });
}

async function hasEnded(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  // Polls, because the system does not report the end of a process that is no child of this one.
  while (isProcessRunning(pid)) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
