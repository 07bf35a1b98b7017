/** Plans the steps of a purge that remove the service and stop the running host. Changes nothing. */
import { existsSync } from "node:fs";
import type { Env } from "@plugboard/contracts";
import type { PurgeStep } from "@plugboard/host/operations";
import { removeService } from "../../service/remove-service.ts";
import { findServiceManager } from "../../service/service-manager.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { oneStopAtATime } from "../../workspace/one-stop-at-a-time.ts";
import { stopRunningHost } from "../../workspace/stop-running-host.ts";

/** The service comes first, because it would start the host again. */
export async function planHostEnd(env: Env): Promise<readonly PurgeStep[]> {
  return [...planUninstall(env), ...(await planStop(env))];
}

function planUninstall(env: Env): PurgeStep[] {
  if (process.platform !== "linux" && process.platform !== "darwin") return [];
  const manager = findServiceManager(env);
  const { file } = manager;
  if (!existsSync(file)) return [];
  return [{ kind: "uninstall", text: `remove the service ${file}`, run: () => removeService(manager, env) }];
}

async function planStop(env: Env): Promise<PurgeStep[]> {
  const run = async () => void (await oneStopAtATime(env, () => stopRunningHost(env, { force: false })));
  try {
    const pid = await findPid(env);
    return pid === undefined ? [] : [{ kind: "stop", text: `stop the host (process ${pid}) and its servers`, run }];
  } catch {
    // The step tries again when it runs. If the host still does not answer, the step fails with the reason.
    return [{ kind: "stop", text: "stop the host, which does not answer", run }];
  }
}

/** Returns the process of the running host. */
async function findPid(env: Env): Promise<number | undefined> {
  const host = await connectToRunningHost(env, { acceptsAnyVersion: true });
  try {
    return (await host?.control.info())?.pid;
  } finally {
    await host?.close();
  }
}
