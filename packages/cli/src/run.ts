/** Runs one command line and returns its exit status. Reports every failure as one message. */
import { ERROR_TABLE, HostError, toHostError } from "@plugboard/contracts";
import { CommanderError } from "commander";
import { makeProgram } from "./program.ts";
import { renderError } from "./render/render-error.ts";
import type { CliContext } from "./terminal/cli-context.ts";
import { watchOutput } from "./terminal/watch-output.ts";

export async function run(argv: readonly string[], cli: CliContext): Promise<number> {
  const output = watchOutput(cli);
  const status = await runCommand(argv, cli);
  return (await output.finished()) ?? status;
}

async function runCommand(argv: readonly string[], cli: CliContext): Promise<number> {
  let status = 0;
  try {
    const program = makeProgram(cli, (exitStatus) => (status = exitStatus));
    await program.parseAsync([...argv], { from: "user" });
    return status;
  } catch (thrown) {
    if (thrown instanceof CommanderError && isHelp(thrown)) return thrown.exitCode === 0 ? 0 : ERROR_TABLE.USAGE.exit;
    const error = thrown instanceof CommanderError ? usageError(thrown) : toHostError(thrown);
    cli.stderr.write(renderError(error, { json: argv.includes("--json") }));
    return ERROR_TABLE[error.code].exit;
  }
}

/** Returns true if commander has printed the help or the version. A command line without a command also prints the help. */
function isHelp({ code, exitCode }: CommanderError): boolean {
  return exitCode === 0 || code === "commander.help";
}

function usageError({ message }: CommanderError): HostError {
  const text = message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replace(/\.$/, "");
  return new HostError("USAGE", { message: text });
}
