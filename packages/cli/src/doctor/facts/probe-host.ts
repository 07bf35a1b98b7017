/** Finds out whether a host is running, and whether this command can use it. */
import { toHostError } from "@plugboard/contracts";
import type { Env, HostErrorJson } from "@plugboard/contracts";
import { findSocket } from "@plugboard/store";
import type { RemoteHost } from "@plugboard/remote";
import { isOutdated } from "../../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";

export type FoundHost =
  | { readonly state: "none" }
  /** `outdated`: the host was started before the last upgrade. `port`: the port that it has opened. */
  | { readonly state: "running"; readonly outdated: boolean; readonly port?: number }
  /** The socket of a host that has ended without removing it. */
  | { readonly state: "stale"; readonly socket: string }
  | { readonly state: "unusable"; readonly error: HostErrorJson };

export async function probeHost(env: Env): Promise<FoundHost> {
  try {
    const running = await connectToRunningHost(env, {});
    if (running) return await describeHost(running);
    const socket = process.platform === "win32" ? undefined : findSocket(env);
    return socket === undefined ? { state: "none" } : { state: "stale", socket };
  } catch (error) {
    return { state: "unusable", error: toHostError(error).toJSON() };
  }
}

async function describeHost(running: RemoteHost): Promise<FoundHost> {
  try {
    const { port } = await running.control.info();
    return { state: "running", outdated: isOutdated(running.build), ...(port && { port: port.port }) };
  } finally {
    await running.close();
  }
}
