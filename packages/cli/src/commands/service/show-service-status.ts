/** Implements `plugboard service status`. */
import { existsSync } from "node:fs";
import { runServiceCommand } from "../../service/run-service-command.ts";
import { findServiceManager } from "../../service/service-manager.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { ServiceStatusOutput } from "../../outputs/host-outputs.ts";

export async function showServiceStatus({ json }: { readonly json: boolean }, cli: CliContext): Promise<number> {
  const { env, stdout } = cli;
  const manager = findServiceManager(env);
  const { file, name } = manager;
  const installed = existsSync(file);
  const running = installed && manager.isRunning(await runServiceCommand(manager.status, "/", env));
  if (json) stdout.json({ manager: name, file, installed, running } satisfies ServiceStatusOutput);
  else if (!installed) stdout.write("The service is not installed. `plugboard service install` installs it.\n");
  else stdout.write(`The service is installed (${file}) and ${running ? "running" : "not running"}.\n`);
  return 0;
}
