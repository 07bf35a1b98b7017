/** Starts a server's process, or says why it can't be started. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { HostError } from "@plugboard/contracts";
import type { Clock } from "../lib/clock.ts";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";
import { currentPlatform } from "./current-platform.ts";
import { ServerProcess } from "./server-process.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";

export interface ProcessSpec {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

/** `born` is told in the same turn as the system has made the process: nobody may die between the two and leave it behind. */
export async function spawnServer(
  spec: ProcessSpec,
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
): Promise<ServerProcess> {
  const { server, command, args, cwd, env } = spec;
  const fullEnv = serverEnvironment(process.env, env, process.platform);
  const spawning = currentPlatform.spawn();
  const spawn = spawning instanceof Promise ? await spawning : spawning;
  try {
    const child = spawn(command, args, { cwd, env: fullEnv, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    // What breaks a pipe is noticed by whoever uses it; here it only must not throw.
    for (const pipe of pipesOf(child)) pipe.on("error", () => {});
    // Some reasons are thrown, others are told by an event.
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const started = new ServerProcess(child, currentPlatform.group(child), clock);
    onSpawn(started);
    return started;
  } catch (error) {
    const reason = await explainSpawnFailure({ command, cwd, env, fullEnv }, error as NodeJS.ErrnoException);
    // Without a cause: Node's own error quotes the arguments, and those may be secrets.
    throw new HostError("SERVER_SPAWN_FAILED", { server, command, reason });
  }
}

/** None at all when there were too many open files to make them. */
function pipesOf({ stdio }: ChildProcess) {
  return (stdio as ChildProcess["stdio"] | undefined)?.filter((pipe) => pipe !== null && pipe !== undefined) ?? [];
}
