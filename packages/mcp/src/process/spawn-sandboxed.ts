/** Starts a server in a sandbox. Throws SANDBOX_UNAVAILABLE, and starts no server, if the system can't provide the sandbox. */
import { HostError } from "@plugboard/contracts";
import type { Clock, SandboxPolicy } from "@plugboard/contracts";
import { SandboxProblem } from "../sandbox/index.ts";
import { findSpawnProblem } from "./explain-spawn-failure.ts";
import type { ServerProcess } from "./server-process.ts";
import type { ProcessSpec } from "./spawn-server.ts";
import { startBubblewrap } from "./start-bubblewrap.ts";
import { startSeatbelt } from "./start-seatbelt.ts";

/** Calls `onSpawn` in the same turn in which the process is created. */
export async function spawnSandboxed(
  spec: ProcessSpec & { readonly sandbox: SandboxPolicy },
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
  platform: NodeJS.Platform = process.platform,
): Promise<ServerProcess> {
  const { server, command } = spec;
  const problem = await findSpawnProblem(spec);
  if (problem !== undefined) throw new HostError("SERVER_SPAWN_FAILED", { server, command, reason: problem });
  try {
    if (platform === "linux") return await startBubblewrap(spec, clock, onSpawn);
    if (platform === "darwin") return await startSeatbelt(spec, clock, onSpawn);
    throw new SandboxProblem(`there is no sandbox for this system (${platform})`);
  } catch (error) {
    if (error instanceof SandboxProblem) throw new HostError("SANDBOX_UNAVAILABLE", { server, reason: error.message });
    throw error;
  }
}
