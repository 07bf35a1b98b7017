/** Restarts the host that the service manager runs. */
import type { RemoteHost } from "@plugboard/remote";
import type { CliContext } from "../terminal/cli-context.ts";
import { waitForHost } from "../workspace/start-background-host.ts";
import { runServiceCommand } from "./run-service-command.ts";
import { findServiceManager } from "./service-manager.ts";

/** Resolves when the host answers. */
export async function restartService({ env }: Pick<CliContext, "env">): Promise<RemoteHost> {
  const manager = findServiceManager(env);
  await runServiceCommand(manager.restart, "/", env);
  return waitForHost(env, `the service of ${manager.name} did not start it`);
}
