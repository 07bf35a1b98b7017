/** Prints the help of all commands, of a group, or of one command. Returns the exit status. */
import { ERROR_TABLE } from "@plugboard/contracts";
import type { CommandSpec } from "./command-line/command-spec.ts";
import { renderCommandHelp, renderOverview, renderSubcommands } from "./command-line/render-help.ts";
import { renderHelpFooter } from "./render/render-help-footer.ts";
import { COMMANDS, GROUPS } from "./specs/commands.ts";
import type { CliContext } from "./terminal/cli-context.ts";

/** `requested` is false if the user typed no command. Then the help goes to stderr, and the command fails. */
export function printHelp(
  { prefix, requested }: { readonly prefix: string; readonly requested: boolean },
  { env, stdout, stderr }: CliContext,
): number {
  const text = prefix === "" ? renderOverview(GROUPS, renderHelpFooter(env)) : renderSubcommands(prefix, COMMANDS);
  (requested ? stdout : stderr).write(text);
  return requested ? 0 : ERROR_TABLE.USAGE.exit;
}

export function printCommandHelp(command: CommandSpec, { stdout }: CliContext): number {
  stdout.write(renderCommandHelp(command));
  return 0;
}
