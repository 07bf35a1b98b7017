/** The commands and their options. What a command does is in `commands/`. */
import { ERROR_TABLE, toHostError } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { Command, CommanderError } from "commander";
import { callTool } from "./commands/call.ts";
import { listServers } from "./commands/list.ts";
import { showStatus } from "./commands/status.ts";
import { showTools } from "./commands/tools.ts";
import type { CommonOptions } from "./with-workspace.ts";
import { renderError } from "./render/error.ts";
import type { Surroundings } from "./surroundings.ts";

/** Ends in the exit status of the command. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let status = 0;
  const program = makeProgram(surroundings, (done) => (status = done));
  try {
    await program.parseAsync([...argv], { from: "user" });
    return status;
  } catch (thrown) {
    // Commander has printed its own message already; help and version are no errors.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : ERROR_TABLE.USAGE.exit;
    const error = toHostError(thrown);
    surroundings.stderr.write(renderError(error, argv.includes("--json")));
    return ERROR_TABLE[error.code].exit;
  }
}

function makeProgram(surroundings: Surroundings, done: (status: number) => void): Command {
  const { stdout, stderr } = surroundings;
  const program = new Command("plugboard")
    .description("One host for every MCP server.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });

  common(program.command("list"))
    .description("show the configured servers; starts nothing")
    .action(async (options: CommonOptions) => done(await listServers(options, surroundings)));

  common(program.command("status"))
    .description("show the state of the servers; starts nothing unless told to")
    .option("--connect", "connect every enabled server first")
    .action(async (options: CommonOptions & { connect?: boolean }) => done(await showStatus(options, surroundings)));

  common(program.command("tools"))
    .description("show what the servers offer, or everything about one tool")
    .argument("[server or server:tool]")
    .action(async (what: string | undefined, options: CommonOptions) =>
      done(await showTools(what, options, surroundings)),
    );

  common(program.command("call"))
    .description("call a tool: plugboard call files:read_file path=notes.md")
    .argument("<server:tool>")
    .argument("[name=value...]", "arguments of the tool")
    .option("--args <json>", "arguments as one JSON object")
    .action(async (tool: string, pairs: string[], options: CommonOptions & { args?: string }) =>
      done(await callTool(tool, pairs, options, surroundings)),
    );

  return program;
}

function common(command: Command): Command {
  return command
    .option("--config <file>", "read this config file too (repeatable)", collect, [])
    .option("--mcp-server <id=command or URL>", "add a server for this invocation (repeatable)", collect, [])
    .option("--json", "print JSON");
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
