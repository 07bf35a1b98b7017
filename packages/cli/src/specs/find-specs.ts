/**
 * Loads the specs that a command line needs. The specs of frequent commands are imported here. All others are loaded
 * only if the line needs them, because that takes time.
 */
import type { CommandSpec } from "../command-line/command-spec.ts";
import { splitCommandLine } from "../command-line/find-command.ts";
import { hostingCommands } from "./hosting.ts";
import { serverCommands } from "./servers.ts";
import { toolCommands } from "./tools.ts";

const FREQUENT: readonly CommandSpec[] = [...toolCommands, ...serverCommands, ...hostingCommands];

export async function findSpecs(argv: readonly string[]): Promise<readonly CommandSpec[]> {
  if (splitCommandLine(argv, FREQUENT).command) return FREQUENT;
  const { COMMANDS } = await import("./commands.ts");
  return COMMANDS;
}
