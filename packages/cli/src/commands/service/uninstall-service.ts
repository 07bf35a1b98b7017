/** Implements `plugboard service uninstall`. */
import { existsSync } from "node:fs";
import { removeService } from "../../service/remove-service.ts";
import { findServiceManager } from "../../service/service-manager.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { ServiceUninstallOutput } from "../../outputs/host-outputs.ts";

/** Stops the service and removes its file. */
export async function uninstallService(
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  const { env, stdout } = cli;
  const manager = findServiceManager(env);
  const { file, uninstall } = manager;
  const installed = existsSync(file);
  const commands = installed ? uninstall.map(({ words }) => words.join(" ")) : [];
  if (json) stdout.json({ file, installed, commands, dryRun } satisfies ServiceUninstallOutput);
  else if (!installed) stdout.write(`The service is not installed: ${file} does not exist.\n`);
  else stdout.write(renderPlan(file, commands, dryRun));
  if (dryRun || !installed) return 0;
  await removeService(manager, env);
  if (!json) stdout.write("Uninstalled. The host of the service has stopped.\n");
  return 0;
}

function renderPlan(file: string, commands: readonly string[], dryRun: boolean): string {
  const lines = commands.map((command) => `  ${command}\n`).join("");
  return dryRun ? `Would run:\n${lines}and remove ${file}.\n` : `Running:\n${lines}and removing ${file}.\n`;
}
