/**
 * Starts a server's process. Throws SERVER_SPAWN_FAILED with the reason if it can't be started, and SANDBOX_UNAVAILABLE if
 * it can't be started in its sandbox.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { HostError } from "@plugboard/contracts";
import type { Clock, SandboxPolicy } from "@plugboard/contracts";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";
import { currentPlatform } from "./current-platform.ts";
import { makeMark } from "./process-mark.ts";
import { ServerProcess } from "./server-process.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";

export interface ProcessSpec {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Without it, the server runs with all rights of its user. */
  readonly sandbox?: SandboxPolicy | undefined;
}

/**
 * Calls `onSpawn` in the same turn in which the process is created, so that the caller can register the process even if
 * the host exits right after.
 */
export async function spawnServer(
  spec: ProcessSpec,
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
): Promise<ServerProcess> {
  const { server, command, args, cwd, env, sandbox } = spec;
  if (sandbox) {
    const { spawnSandboxed } = await import("./spawn-sandboxed.ts");
    return spawnSandboxed({ ...spec, sandbox }, clock, onSpawn);
  }
  const { mark, variable } = makeMark();
  const fullEnv = { ...serverEnvironment(process.env, env, process.platform), ...variable };
  const loading = currentPlatform.loadSpawn();
  const spawn = loading instanceof Promise ? await loading : loading;
  try {
    const child = spawn(command, args, { cwd, env: fullEnv, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    // The transport handles pipe errors. This listener only prevents an uncaught exception.
    for (const pipe of pipesOf(child)) pipe.on("error", () => {});
    // `spawn` throws some errors and emits others.
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const started = new ServerProcess(child, currentPlatform.groupOf(child, mark), clock);
    onSpawn(started);
    return started;
  } catch (error) {
    const reason = await explainSpawnFailure({ command, cwd, env, fullEnv }, error as NodeJS.ErrnoException);
    // Omits the cause, because Node's error quotes the arguments, which may be secrets.
    throw new HostError("SERVER_SPAWN_FAILED", { server, command, reason });
  }
}

/** Returns an empty list if there were too few file descriptors to create the pipes. */
function pipesOf({ stdio }: ChildProcess) {
  return (stdio as ChildProcess["stdio"] | undefined)?.filter((pipe) => pipe !== null && pipe !== undefined) ?? [];
}
