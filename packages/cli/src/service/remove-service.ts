/** Stops the service, and removes its file. */
import { rm } from "node:fs/promises";
import type { Env } from "@plugboard/contracts";
import { unwritableError } from "@plugboard/store";
import { runServiceCommand } from "./run-service-command.ts";
import type { ServiceManager } from "./service-manager.ts";

export async function removeService({ file, uninstall }: ServiceManager, env: Env): Promise<void> {
  for (const command of uninstall) await runServiceCommand(command, "/", env);
  try {
    await rm(file, { force: true });
  } catch (error) {
    throw unwritableError(file, error);
  }
}
