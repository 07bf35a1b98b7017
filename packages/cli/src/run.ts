/** Runs one command line and returns its exit status. Reports every failure as one message. */
import { ERROR_TABLE, toHostError } from "@plugboard/contracts";
import { findCommand } from "./command-line/find-command.ts";
import { parseWords } from "./command-line/parse-words.ts";
import { renderError } from "./render/render-error.ts";
import { findSpecs } from "./specs/find-specs.ts";
import { makeCliContext } from "./terminal/cli-context.ts";
import type { CliContext, ProcessContext } from "./terminal/cli-context.ts";
import { watchOutput } from "./terminal/watch-output.ts";
import { showPhases } from "./workspace/show-phases.ts";
import { VERSION } from "@plugboard/host";

export async function run(argv: readonly string[], context: ProcessContext): Promise<number> {
  const output = watchOutput(context);
  const status = await runCommand(argv, makeCliContext(context));
  // If stdout could not be written, its exit status replaces that of the command.
  return (await output.finished()) ?? status;
}

async function runCommand(argv: readonly string[], cli: CliContext): Promise<number> {
  // A guess until the words are parsed, because `--json` may be an argument of a server or a tool.
  let json = argv.includes("--json");
  try {
    const found = findCommand(argv, await findSpecs(argv));
    if (found.type === "version") return print(cli, `${VERSION}\n`);
    // Loaded on first use, because other commands need neither the help nor the specs of all commands.
    if (found.type === "help") return (await import("./print-help.ts")).printHelp(found, cli);
    const input = parseWords(found.command, found.words);
    if (input === "help") return (await import("./print-help.ts")).printCommandHelp(found.command, cli);
    json = input["json"] === true;
    // Shown on the live line until the command shows there what it waits for. A command that runs until it is stopped,
    // such as `serve`, hides the live line.
    const phases = showPhases(cli.liveLine, "working");
    return await found.command.run(input, cli).finally(() => phases.stop());
  } catch (thrown) {
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, { json }));
    return ERROR_TABLE[error.code].exit;
  }
}

function print({ stdout }: CliContext, text: string): number {
  stdout.write(text);
  return 0;
}
